// Notebooks as Jupyter writes them, and as others may.

export interface NotebookOptions {
  readonly minor?: number;
  /** As of JSON.stringify. Default 1. */
  readonly indent?: number | string;
  readonly lineBreak?: string;
  /** Behind the last bracket. Default a line break. */
  readonly end?: string;
  /** In front of the first one. */
  readonly start?: string;
  /** Letters that are no ASCII are written as escapes. */
  readonly isEscaped?: boolean;
}

export type NotebookCell = Readonly<Record<string, unknown>>;

const toLines = (source: string): string[] => (source === '' ? [] : source.split(/(?<=\n)/));

export function markdownCell(id: string | undefined, source: string): NotebookCell {
  return { cell_type: 'markdown', ...(id === undefined ? {} : { id }), metadata: {}, source: toLines(source) };
}

/** @param more `count`: it ran, and put out its number */
export function codeCell(
  id: string | undefined,
  source: string,
  more: { readonly count?: number; readonly outputs?: readonly unknown[] } = {},
): NotebookCell {
  const { count = null } = more;
  const outputs =
    more.outputs ?? (count === null ? [] : [{ name: 'stdout', output_type: 'stream', text: [`${count}\n`] }]);
  return {
    cell_type: 'code',
    execution_count: count,
    ...(id === undefined ? {} : { id }),
    metadata: {},
    outputs,
    source: toLines(source),
  };
}

export function notebookText(cells: readonly unknown[], options: NotebookOptions = {}): string {
  const { minor = 5, indent = 1, lineBreak = '\n', end = lineBreak, start = '', isEscaped = false } = options;
  const metadata = {
    kernelspec: { display_name: 'Python 3', language: 'python', name: 'python3' },
    weird: 'Öl \u0007',
  };
  const json = JSON.stringify({ cells, metadata, nbformat: 4, nbformat_minor: minor }, null, indent);
  // On one line Python puts a space behind commas and colons, which the cells of a test need not have.
  const escaped = isEscaped ? json.replace(/[\u0080-\uffff]/g, escapeUnit) : json;
  return `${start}${escaped.replaceAll('\n', lineBreak)}${end}`;
}

function escapeUnit(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
