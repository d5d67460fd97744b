// This page opens in a tab of its own: the button closes that tab if the browser allows it.
document.getElementById("back").addEventListener("click", () => window.close());
try {
  const theme = localStorage.getItem("nodealer theme");
  if (theme && theme !== "auto") document.documentElement.dataset.theme = theme;
} catch {
  // No storage: the theme is the browser's.
}
