// English text cut into sentences, as minibert/data/sentences.py cuts it. The lists and the order of the rules are the same.

const ALWAYS = new Set(`Mr Mrs Ms Messrs Mme Mlle Dr Drs Prof Rev Revd Hon Gen Lt Col Capt Cpt Cmdr Cdr Comm Sgt Cpl Pvt Maj Brig Adm Gov Sen Reps
  Rep Pres Supt Insp Fr Msgr Amb e.g i.e vs cf viz ca approx Gens Sens Govs Profs`.split(/\s+/));
const SOMETIMES = new Set(`St Ste Mt Mts Ft Ave Blvd Rd Inc Ltd Co Corp Bros Jr Sr Esq al et ed eds trans Univ Dept est Assn vol Vol
  Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec Mon Tue Tues Wed Thu Thur Thurs Fri Sat Sun`.split(/\s+/));
const NUMBERED = new Set(`No Nos no nos p pp P Pp vol Vol vols Vols fig Fig figs Figs Eq eq eqs Eqs ch Ch chap Chap sec Sec sect Sect art Art
  Op op ver n v r b d c para Para v`.split(/\s+/));
const STARTERS = `The A An This That These Those He She It They We You I His Her Its Their Our My Your In On At By For From With Within
  Without After Before During As When While If Although Though Because Since However But And Or So Then There Here What
  Who Why How Where Which Some Many Most Several Both All One Each Another Other Others No Not Nor Yet Only Even Also Later
  Under Upon Until Once Today Now Thus Therefore Moreover Furthermore Additionally Meanwhile Despite Such To Is Are Was
  Were Do Does Did Can Could Would Should Between Among Through Throughout According`.split(/\s+/);

// What Python means by a space, a letter or digit, a digit: JavaScript's own \s, \w, \d and \b differ.
const SPACE = "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
const SPACES = new RegExp(`[${SPACE}]+`, "u");
const WORD_END = "(?![\\p{L}\\p{N}_])";
const LETTER = "[\\p{L}\\p{Nl}\\p{No}]";
const ALL_DIGITS = /^[\p{Nd}\u00b2\u00b3\u00b9\u1369-\u1371\u19da\u2070\u2074-\u2079\u2080-\u2089\u2460-\u2468\u2474-\u247c\u2488-\u2490\u24ea\u24f5-\u24fd\u24ff\u2776-\u277e\u2780-\u2788\u278a-\u2792]+$/u;

// A stop (or several), what closes after it, a space, what opens before the next word, then no small letter.
const CANDIDATE = new RegExp(`(?<stop>[.!?…]+)(?:["'’”»)\\]]|\\[\\p{Nd}+\\])*[ ](?=["'“‘«(\\[¿¡*–—\\-]*[ ]?(?<next>[^${SPACE}a-zß-öø-ÿ,;:.!?…)\\]"'“‘«(\\[–—\\-]))`, "gu");
const STARTER = new RegExp(`["'“‘«(\\[]*(?:${STARTERS.join("|")})${WORD_END}(?![.\\-])`, "uy");
const FIRST_PERSON = new RegExp(`I${WORD_END}(?!\\.)`, "uy");
const DOTTED = new RegExp(`^(?:${LETTER}{1,2}\\.)+${LETTER}{1,2}$`, "u");
const INITIAL = new RegExp(`^(?:.*[\\-.])?${LETTER}$`, "u");
const PARAGRAPH_END = new RegExp(`\\n[${SPACE.replace("\\t-\\r", "\\t\\v-\\r")}]*\\n`, "u");

/** The words of a text, as Python's str.split() gives them. */
function wordsOf(text) {
  return text.split(SPACES).filter((word) => word);
}

/** The paragraphs of a text, each a list of its sentences; white space is single spaces. */
function splitParagraphs(text) {
  return text.split(PARAGRAPH_END).map((paragraph) => sentencesOf(wordsOf(paragraph).join(" "))).filter((sentences) => sentences.length);
}

function sentencesOf(paragraph) {
  const sentences = [];
  let start = 0;
  for (const candidate of paragraph.matchAll(CANDIDATE)) {
    if (!endsSentence(paragraph, start, candidate)) continue;
    const end = candidate.index + candidate[0].length;
    sentences.push(paragraph.slice(start, end - 1));
    start = end;
  }
  if (start < paragraph.length) sentences.push(paragraph.slice(start));
  return sentences;
}

function endsSentence(paragraph, start, candidate) {
  const { stop, next } = candidate.groups, at = candidate.index, end = at + candidate[0].length;
  if (stop === ".") {
    const word = paragraph.slice(Math.max(start, paragraph.lastIndexOf(" ", at - 1) + 1), at).replace(/^["'“‘«([–—-]+/u, "");
    if (ALWAYS.has(word)) return false;
    if (NUMBERED.has(word) && ALL_DIGITS.test(next)) return false;
    if (SOMETIMES.has(word) || INITIAL.test(word) || DOTTED.test(word)) return matchesAt(STARTER, paragraph, end);
    return !(ALL_DIGITS.test(word) && at - start === word.length);      // the number of an item in a list: "2. The"
  }
  if (stop === "…" || stop === "...") return !matchesAt(FIRST_PERSON, paragraph, end);     // "Well... I think": 'I' is always a capital
  return !/^\p{Lowercase}$/u.test(next);
}

function matchesAt(pattern, text, place) {
  pattern.lastIndex = place;
  return pattern.test(text);
}
