// The page was opened beside the table: its button closes it, where the browser lets it.
document.getElementById("back").addEventListener("click", () => window.close());
try {
  const theme = localStorage.getItem("nodealer theme");
  if (theme && theme !== "auto") document.documentElement.dataset.theme = theme;
} catch {
  // Nothing is kept here.
}
