/* How results of the search are ordered: what a page is about before where a word merely stands. */
const LAST = /^(CHANGELOG|CONTRIBUTING|SECURITY|reference\/(errors|words|versions)|examples\/)/;
const FIRST = /^(glossary|faq|tutorials\/|howto\/|reference\/(verbs|systems|api)\/)/;
var Scorer = {
  score: ([page, , , , score]) => score + (LAST.test(page) ? -100 : FIRST.test(page) ? 3 : 0),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
/* A page that was opened from a disk may fetch no other, so results have no excerpts there. */
if (location.protocol === "file:") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
