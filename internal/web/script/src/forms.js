// Sends "Form: Submission" for forms without an event of their own. Needs tidemark.js.
const loaded = window.tidemarkTo ||= {}
if (!loaded.forms) {
  loaded.forms = true
  document.addEventListener("submit", ({target}) => {
    if (!target.dataset.event) tidemark("Form: Submission", {props: {path: location.pathname}})
  }, true)
}
