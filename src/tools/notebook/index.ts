// Jupyter notebooks: their cells, shown and changed.
export { editNotebook } from './edit-notebook.js';
export { parseNotebook, showNotebook } from './notebook.js';
