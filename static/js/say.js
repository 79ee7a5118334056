// In a box for an answer: Escape leaves it, so that the page's keys work again; Ctrl or Cmd and Enter reveal from code.

document.addEventListener("keydown", (event) => {
  const box = event.target.closest?.(".say");
  if (!box || event.isComposing) return;
  if (event.key === "Escape") {
    event.preventDefault();
    document.querySelector(".question")?.focus();
  } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    box.closest("form").requestSubmit();
  }
});
