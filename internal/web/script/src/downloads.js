// Sends "File Download" for links to files. Needs tidemark.js.
const files = /\.(pdf|xlsx?|docx?|txt|rtf|csv|exe|key|pp[st]x?|7z|pkg|rar|gz|zip|avi|mov|mp[34]|mpe?g|wmv|midi?|wav|wma|dmg|epub|parquet)$/i
const clicked = ({target}) => {
  const link = target.closest("a[href]")
  if (link && files.test(link.pathname)) tidemark("File Download", {props: {url: link.origin + link.pathname}})
}
const loaded = window.tidemarkTo ||= {}
if (!loaded.downloads) {
  loaded.downloads = true
  document.addEventListener("click", clicked)
  document.addEventListener("auxclick", clicked)
}
