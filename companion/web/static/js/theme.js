// Runs before the first paint: the chosen theme must not flash the other one.
(() => {
  let theme = null;
  try {
    theme = localStorage.getItem("theme");
  } catch {
    // Storage is switched off: the system's theme it is.
  }
  if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme;
})();
