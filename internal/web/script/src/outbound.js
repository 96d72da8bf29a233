// Sends "Outbound Link: Click" for links to other websites. Needs tidemark.js.
const clicked = ({target}) => {
  const link = target.closest("a[href]")
  if (link && link.host && link.host != location.host) tidemark("Outbound Link: Click", {props: {url: link.origin + link.pathname}})
}
const loaded = window.tidemarkTo ||= {}
if (!loaded.outbound) {
  loaded.outbound = true
  document.addEventListener("click", clicked)
  document.addEventListener("auxclick", clicked)
}
