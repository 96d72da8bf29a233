// tidemark.js with all extensions.
import "./tidemark.js"
import "./outbound.js"
import "./downloads.js"
import "./forms.js"
