// Paper cannot be unfolded: hints and answers are printed open.
addEventListener("beforeprint", () => {
  for (const folded of document.querySelectorAll("details:not([open])")) {
    folded.open = true;
    addEventListener("afterprint", () => { folded.open = false; }, { once: true });
  }
});
