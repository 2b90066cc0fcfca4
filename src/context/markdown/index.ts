// Markdown files that describe something: where they are found, and what stands at their head.

export { type FrontField, listOf, type Problem, rawOf, readFrontMatter, textOf } from './front-matter.js';
export {
  type FileTrust,
  findMarkdown,
  knownTrust,
  lookAtMarkdown,
  type MarkdownFile,
  type MarkdownHost,
  type RefusedFile,
  readMarkdown,
} from './markdown-files.js';
export { readNested } from './nested-field.js';
