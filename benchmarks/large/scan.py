"""Read every column of a folder and find the least, the greatest and the sum, by another program.

python benchmarks/large/scan.py duckdb|polars|pyarrow FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any


def scan_duckdb(files: list[str]) -> dict[str, Any]:
    """SQL over the files; text is summed by its length."""
    import duckdb

    reader = "read_parquet" if files[0].endswith("parquet") else "read_csv"
    source = f"{reader}({files})"
    asked = ["count(*)"]
    for name, kind, *_ in duckdb.sql(f"describe select * from {source}").fetchall():
        number = {"VARCHAR": f"length({name})", "TIMESTAMP": f"epoch_ms({name})::double"}.get(
            kind, name
        )
        asked += [f"min({name})", f"max({name})", f"sum({number})"]
    row = duckdb.sql(f"select {', '.join(asked)} from {source}").fetchall()[0]
    return {"rows": row[0], "found": row[1:]}


def scan_polars(files: list[str]) -> dict[str, Any]:
    """A lazy query in the streaming engine."""
    import polars as pl

    scan = pl.scan_parquet if files[0].endswith("parquet") else pl.scan_csv
    frame: Any = scan(files)
    asked = [pl.len().alias("rows")]
    for name, kind in frame.collect_schema().items():
        column = pl.col(name)
        number = column
        if kind == pl.String:
            number = column.str.len_bytes()
        elif kind.is_temporal():
            number = column.to_physical().cast(pl.Float64)
        elif kind.is_integer():
            number = column.cast(pl.Int64)
        asked += [
            column.min().alias(f"min {name}"),
            column.max().alias(f"max {name}"),
            number.sum().alias(f"sum {name}"),
        ]
    row = frame.select(asked).collect(engine="streaming").row(0)
    return {"rows": row[0], "found": row[1:]}


def scan_pyarrow(files: list[str]) -> dict[str, Any]:
    """Batches one after the other, each column of a batch in threads."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.csv as pcsv
    import pyarrow.parquet as pq

    rows, sums = 0, {}
    ends: dict[str, list[Any]] = {}
    for file in files:
        batches = (
            pq.ParquetFile(file).iter_batches(batch_size=1 << 18)
            if file.endswith("parquet")
            else pcsv.open_csv(file)
        )
        for batch in batches:
            rows += batch.num_rows
            for name, column in zip(batch.schema.names, batch.columns, strict=True):
                number = column
                if pa.types.is_string(column.type):
                    number = pc.binary_length(column)
                elif pa.types.is_timestamp(column.type):
                    number = column.cast(pa.int64()).cast(pa.float64(), safe=False)
                sums[name] = sums.get(name, 0) + pc.sum(number).as_py()
                both = pc.min_max(column).as_py()
                ends.setdefault(name, []).extend(both.values())
    found = [value for name in sums for value in (min(ends[name]), max(ends[name]), sums[name])]
    return {"rows": rows, "found": found}


SCANS = {"duckdb": scan_duckdb, "polars": scan_polars, "pyarrow": scan_pyarrow}


def list_files(folder: Path) -> list[str]:
    """The files of a folder in their order, of one kind."""
    for kind in ("*.parquet", "*.csv"):
        if found := sorted(map(str, folder.glob(kind))):
            return found
    raise SystemExit(f"make games first; no .parquet or .csv in {folder}")


if __name__ == "__main__":
    found = SCANS[sys.argv[1]](list_files(Path(sys.argv[2])))
    print(found["rows"], *found["found"])
