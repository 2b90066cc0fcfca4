// How lines look on a terminal: colours and widths. Pure: the environment and the stream's properties are arguments.

export type Colour = 'red' | 'green' | 'yellow' | 'cyan' | 'dim' | 'bold';

/** What a line may use. `columns` is the width to fit lines into. */
export interface Style {
  readonly colour: boolean;
  readonly columns: number;
  readonly verbose: boolean;
}

const DEFAULT_COLUMNS = 100;
const LEAST_COLUMNS = 20;

const CODES: Readonly<Record<Colour, readonly [on: number, off: number]>> = {
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
  dim: [2, 22],
  bold: [1, 22],
};

/**
 * Whether a stream gets colours: if `FORCE_COLOR` is set it decides (`0` and `false` mean no), then a non-empty
 * `NO_COLOR` means no, then terminals that can.
 */
export function wantsColour(stream: { readonly isTTY?: boolean }, env: Readonly<NodeJS.ProcessEnv>): boolean {
  const forced = env['FORCE_COLOR'];
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  if (env['NO_COLOR'] !== undefined && env['NO_COLOR'] !== '') return false;
  return stream.isTTY === true && env['TERM'] !== 'dumb';
}

/** The style for lines written to `stream`. */
export function styleFor(
  stream: { readonly isTTY?: boolean; readonly columns?: number },
  env: Readonly<NodeJS.ProcessEnv>,
  verbose: boolean,
): Style {
  const columns = Math.max(LEAST_COLUMNS, stream.columns || DEFAULT_COLUMNS);
  return { colour: wantsColour(stream, env), columns, verbose };
}

export function paint(text: string, colour: Colour, style: Style): string {
  if (!style.colour || text === '') return text;
  const [on, off] = CODES[colour];
  return `\x1b[${on}m${text}\x1b[${off}m`;
}
