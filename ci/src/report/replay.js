"use strict";
(function () {
  var replay = document.getElementById("replay");
  if (!replay) { return; }
  var positions = replay.querySelectorAll(".position");
  var links = replay.querySelectorAll("[data-move]");
  var range = replay.querySelector("input");
  var announce = replay.querySelector(".announce");
  var last = positions.length - 1;
  var now = 0;

  function show(number, quiet) {
    now = Math.max(0, Math.min(last, number));
    positions.forEach(function (position, n) { position.classList.toggle("now", n === now); });
    links.forEach(function (link, n) {
      if (n === now) { link.setAttribute("aria-current", "step"); } else { link.removeAttribute("aria-current"); }
    });
    replay.querySelectorAll("[data-go]").forEach(function (button) {
      var back = button.dataset.go === "first" || button.dataset.go === "back";
      button.setAttribute("aria-disabled", String(now === (back ? 0 : last)));
    });
    range.value = String(now);
    var text = positions[now].dataset.say;
    range.setAttribute("aria-valuetext", text);
    if (!quiet) { announce.textContent = text; }
  }

  function go(where) {
    show({ first: 0, back: now - 1, forward: now + 1, last: last }[where]);
  }

  var keys = { ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last" };
  replay.addEventListener("keydown", function (event) {
    var where = keys[event.key];
    if (!where || event.target === range || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) { return; }
    event.preventDefault();
    go(where);
  });
  replay.addEventListener("click", function (event) {
    var button = event.target.closest("[data-go]");
    var link = event.target.closest("[data-move]");
    if (button) { go(button.dataset.go); }
    if (link) { event.preventDefault(); show(Number(link.dataset.move)); }
  });
  range.addEventListener("input", function () { show(Number(range.value)); });

  replay.classList.add("live");
  replay.tabIndex = 0;
  replay.querySelector(".controls").hidden = false;
  var linked = /^#move-(\d+)$/.exec(location.hash);
  show(linked ? Number(linked[1]) : 0, true);
})();
