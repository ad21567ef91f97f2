// The reader's progress card: ticks of exercises and first answers of quizzes (keep.js keeps them in this browser).
(function () {
  "use strict";
  var keep = window.minibertKeep;

  function setExercise(name, done) {
    keep.change(function (state) {
      if (done) state.exercises[name] = true;
      else delete state.exercises[name];
    });
  }

  function setQuestion(quiz, question, verdict, again) {
    keep.change(function (state) {
      var answers = state.quizzes[quiz] || (state.quizzes[quiz] = {});
      if (!verdict) delete answers[question];
      else if (again || !answers[question]) answers[question] = verdict;      // the first choice counts
    });
  }

  // ---- in a chapter ------------------------------------------------------------------------------------------------------

  function prepareChapter() {
    document.querySelectorAll(".generated-exercise.task[id]").forEach(function (task) {
      var heading = task.parentElement.querySelector("h3"), number = heading && /Exercise ([\d.]+)/.exec(heading.textContent);
      var label = document.createElement("label"), box = document.createElement("input");
      box.type = "checkbox";
      box.dataset.exercise = task.id;
      label.className = "progress-tick";
      label.append(box, number ? " exercise " + number[1] + " is solved" : " solved");
      task.appendChild(label);
    });
    document.querySelectorAll(".generated-quiz[id]").forEach(function (quiz) {
      var question = 0;
      Array.prototype.forEach.call(quiz.children, function (part) {
        if (part.tagName === "P" && part.querySelector("strong")) question += 1;
        if (part.tagName !== "DETAILS") return;
        var number = String(question), verdict = part.classList.contains("right") ? "right" : "wrong";
        part.addEventListener("toggle", function () { if (part.open) setQuestion(quiz.id, number, verdict, false); });
      });
    });
  }

  // ---- on the card -------------------------------------------------------------------------------------------------------

  function prepareCard(card) {
    var sum = document.createElement("p"), told = document.createElement("p"), buttons = document.createElement("p");
    sum.className = "progress-sum";
    sum.setAttribute("role", "status");
    told.className = "progress-note";
    buttons.className = "progress-buttons";
    buttons.append(button("Print the card", function () { window.print(); }), button("Forget everything", function () {
      if (window.confirm("Take all ticks, answers and guesses off this card?")) keep.forget();
    }));
    card.prepend(sum, told, buttons);
    card.addEventListener("submit", function (event) { event.preventDefault(); });
  }

  function button(text, act) {
    var made = document.createElement("button");
    made.type = "button";
    made.textContent = text;
    made.addEventListener("click", act);
    return made;
  }

  function fill(state) {
    var solved = 0, answered = 0, right = 0, exercises = document.querySelectorAll("[data-exercise]"), questions = document.querySelectorAll("[data-question]");
    exercises.forEach(function (box) {
      box.checked = Boolean(state.exercises[box.dataset.exercise]);
      solved += box.checked;
    });
    questions.forEach(function (box) {
      var answer = (state.quizzes[box.dataset.quiz] || {})[box.dataset.question];
      box.checked = Boolean(answer);
      box.parentElement.classList.toggle("wrong", answer === "wrong");
      answered += box.checked;
      right += answer === "right";
    });
    document.querySelectorAll(".progress-sum").forEach(function (sum) {
      sum.textContent = solved + " of " + exercises.length + " exercises solved; " + answered + " of " + questions.length + " questions answered, " + right + " of them right at once.";
    });
    document.querySelectorAll(".progress-note").forEach(function (told) { told.textContent = keep.note(); });
  }

  function start() {
    prepareChapter();
    document.querySelectorAll(".progress-card").forEach(prepareCard);
    document.addEventListener("change", function (event) {
      var box = event.target.dataset;
      if (box.exercise) setExercise(box.exercise, event.target.checked);
      else if (box.question) setQuestion(box.quiz, box.question, event.target.checked ? "right" : "", true);
    });
    keep.follow(fill);
  }

  keep.ready(start);
})();
