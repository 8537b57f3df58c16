"""Where tables come from: files, archives, addresses, documents of sites, frames."""
