"""Which slots of an infobox become questions: the slot's name, the question, and a cue that must
match the sentence of the answer.

`slot_questions` in span_tasks uses all three. Slot and cue are regular expressions, {name} is the
title of the article, {answer} the text from the slot. A question that begins with When needs an
answer with a digit, the others one without. We read every resulting question and narrowed the cues
until no wrong question was left.
"""

SLOTS = [
    # people
    ("birth_date", "When was {name} born?", r"\bborn\b|{answer} –"),
    ("birth_?place|birth_date", "Where was {name} born?", r"\bborn\b(?!.*Classical {answer})"),
    ("birth_name", "What was {name} called at birth?", r"\bborn\b"),
    ("death_date", "When did {name} die?", r"{answer}\)"),
    ("death_place|death_date", "Where did {name} die?", r"\bdied\b"),
    ("resting_?place", "Where is {name} buried?", r"\b(buried|interred)\b"),
    ("spouse", "Who was married to {name}?", r"\b(marr\w+|wife|husband|engaged)\b"),
    (
        "alma_mater|education",
        "Where did {name} study?",
        r"\b(student|graduated|attended|enroll|went on to)\b",
    ),
    ("doctoral_advisor", "Who was the adviser of {name}?", r"\badvisor\b"),
    ("workplaces", "Where did {name} work?", r"\b(position at|job in|worked)\b"),
    ("notable_?works", "What is {name} known for?", r"\bknown for\b"),
    (
        "awards|prizes",
        "Which award did {name} receive?",
        r"\b(awarded|received) the ([\w ]+ )?{answer}",
    ),
    ("influences", "Who influenced {name}?", r"\binfluenced by .*{answer}"),
    ("vicepresident", "Who was vice president under {name}?", r"\bVice President\b"),
    ("battles", "In which war did {name} fight?", r"\b(served|fighting)\b"),
    ("turnedpro", "When did {name} turn professional?", r"\bturned pro"),
    ("coach", "Who coached {name}?", r"\bcoach\b"),
    # places
    ("capital", "What is the capital of {name}?", r"\bcapital\b"),
    ("largest_?city", "What is the largest city of {name}?", r"\b(largest|most populous) city\b"),
    ("largest_?county", "What is the largest county of {name}?", r"\blargest county\b"),
    ("highest_?point", "What is the highest point of {name}?", r"\bhighest (point|mountain)\b"),
    (
        "conventional_long_name",
        "What is the official name of {name}?",
        r"\bofficially( known as)?( the)? {answer}",
    ),
    ("nickname", "What is {name} nicknamed?", r"\bnicknamed\b"),
    ("national_anthem|stateanthem", "What is the anthem of {name}?", r"\b(anthem|state song)\b"),
    ("bird", "What is the state bird of {name}?", r"\bstate bird\b"),
    ("official_?languages?", "Which language is official in {name}?", r"\bofficial languages?\b"),
    ("(national|regional)_languages", "Which language is spoken in {name}?", r"\blanguages with\b"),
    ("ethnic_groups", "Which people live in {name}?", r"\bcomposed of .*{answer} [\d(]"),
    ("currency", "What is the currency of {name}?", r"\bexchange rate\b"),
    ("government_type", "What kind of state is {name}?", r"\b(is|become) an? ([\w ]+ )?{answer}"),
    ("legislature", "What is the legislature of {name} called?", r"\blegislat|\bknown as\b"),
    ("upper_?house", "What is the upper house of the legislature of {name}?", r"\bbicameral\b"),
    ("lower_?house", "What is the lower house of the legislature of {name}?", r"\bbicameral\b"),
    ("leader_name1", "Who is the president of {name}?", r"(?<!French )\bpresident\b"),
    (
        "lieutenant governor|viceroy",
        "Who is the lieutenant governor of {name}?",
        r"\blieutenant governor\b",
    ),
    ("premier", "Who is the premier of {name}?", r"\bpremier\b"),
    (r"admi\w+date", "When did {name} become a state?", r"\badmitted\b"),
    (
        r"established_date\d",
        "When did {name} become independent?",
        r"\b(gained its|proclamation of) independence\b",
    ),
    (r"established_date\d|founded", "When was {name} founded?", r"\b(formed|created)\b"),
    # works and makers
    ("author|writer", "Who wrote {name}?", r"\bby {answer}"),
    ("illustrator", "Who illustrated {name}?", r"\bby {answer}"),
    ("composer", "Who composed {name}?", r"\bcomposed\b"),
    ("director", "Who directed {name}?", r"\bdirected by\b"),
    ("producer", "Who produced {name}?", r"\bproduced\b.*\bby {answer}"),
    ("starring", "Who acts in {name}?", r"\({answer}\)"),
    ("published", "Who published {name}?", r"\bpublished the first edition\b"),
    ("(release|pub)_date", "When was {name} published?", r"\bpublished\b"),
    ("presenter", "Who hosts the {name}?", r"\bhosted by\b"),
    ("creator", "Who developed {name}?", r"\bdeveloped by\b"),
    ("ancestor arts", "What does {name} derive from?", r"\bderives\b"),
    ("named_?after", "What is {name} named after?", r"\bnamed after\b"),
    # nature and technology
    ("genus", "Which genus is the {name} in?", r"\({answer}"),
    ("ordo", "Which order is the {name} in?", r"\border\b"),
    ("familia", "Which family is the {name} in?", r"\bclassified with\b"),
    ("subdivision", "Into which groups are {name} divided?", r"\bare divided into\b"),
    ("launch_rocket", "Which rocket launched {name}?", r"\b(launched|launch)\b"),
    (r"crew\w*", "Who flew on {name}?", r"\bmember of the mission\b"),
]
