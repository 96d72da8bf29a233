(()=>{document.addEventListener("submit",({target:t})=>{t.dataset.event||tidemark("Form: Submission",{props:{path:location.pathname}})},!0);})();
