// How the terminal's texts look: colours are the 16 of the terminal itself, which its owner has chosen, and no state is told by
// a colour alone. Which theme is in force is what the settings say, over what the terminal tells of its background.

export const THEMES = ['auto', 'dark', 'light', 'high-contrast'] as const;
type ThemeName = (typeof THEMES)[number];

/** What a piece of text is, for its look. */
export type Tone =
  /** Times, hints, what may be passed over. */
  | 'dim'
  | 'strong'
  /** Names and marks. */
  | 'accent'
  | 'good'
  | 'bad'
  | 'warning'
  | 'added'
  | 'removed'
  /** What the user wrote. */
  | 'prompt'
  | 'heading'
  | 'code'
  | 'link'
  | 'quote'
  /** The line of a list that Enter takes, and the text that vim has marked. */
  | 'selected'
  /** What a search found. */
  | 'found';

export interface Theme {
  readonly name: Exclude<ThemeName, 'auto'>;
  /** False: `NO_COLOR`, or a terminal without any. */
  readonly colour: boolean;
  /** True: nothing moves but what says something new. */
  readonly reducedMotion: boolean;
  /** `text` in SGR codes; those inside it stay. As it is if there are no colours. Contract: the width stays. */
  paint(text: string, tone: Tone): string;
}

type Codes = readonly [on: number, off: number];

/** What must be seen without colour too. */
const PLAIN: Partial<Record<Tone, Codes>> = {
  strong: [1, 22],
  heading: [1, 22],
  prompt: [1, 22],
  link: [4, 24],
  selected: [7, 27],
  found: [7, 27],
};

const DARK: Readonly<Record<Tone, Codes>> = {
  dim: [2, 22],
  strong: [1, 22],
  accent: [36, 39],
  good: [32, 39],
  bad: [31, 39],
  warning: [33, 39],
  added: [32, 39],
  removed: [31, 39],
  prompt: [1, 22],
  heading: [1, 22],
  code: [36, 39],
  link: [4, 24],
  quote: [3, 23],
  selected: [7, 27],
  found: [7, 27],
};

const PALETTES: Readonly<Record<Theme['name'], Readonly<Record<Tone, Codes>>>> = {
  dark: DARK,
  // Yellow and cyan are hard to see on white.
  light: { ...DARK, accent: [34, 39], warning: [35, 39], code: [34, 39] },
  // Nothing faint, nothing dark on dark.
  'high-contrast': {
    ...DARK,
    dim: [39, 39],
    accent: [96, 39],
    good: [92, 39],
    bad: [91, 39],
    warning: [93, 39],
    added: [92, 39],
    removed: [91, 39],
    code: [96, 39],
  },
};

interface ThemeChoice {
  readonly theme?: string | undefined;
  readonly reducedMotion?: boolean | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The background that the terminal told (OSC 11), each part from 0 to 1; null if it told none. */
  readonly background?: readonly [red: number, green: number, blue: number] | null;
}

export function createTheme({ theme = 'auto', reducedMotion, env, background = null }: ThemeChoice): Theme {
  const name = isThemeName(theme) && theme !== 'auto' ? theme : isLight(env, background) ? 'light' : 'dark';
  const colour = wantsColour(env);
  const palette = colour ? PALETTES[name] : PLAIN;
  return {
    name,
    colour,
    reducedMotion: reducedMotion ?? false,
    paint(text, tone) {
      const codes = palette[tone];
      if (codes === undefined || text === '') return text;
      const [on, off] = codes;
      // What ends inside would end this tone with it.
      return `\x1b[${on}m${text.replaceAll(`\x1b[${off}m`, `\x1b[${off}m\x1b[${on}m`)}\x1b[${off}m`;
    },
  };
}

function isThemeName(name: string): name is ThemeName {
  return (THEMES as readonly string[]).includes(name);
}

/** As everywhere: if `FORCE_COLOR` is set it decides; then a `NO_COLOR` that is not empty means none. */
function wantsColour(env: ThemeChoice['env']): boolean {
  const forced = env['FORCE_COLOR'];
  if (forced !== undefined && forced !== '') return forced !== '0' && forced !== 'false';
  return (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb';
}

/** What the terminal says of its background; else what some put into `COLORFGBG`, as `0;15`. Dark if nothing is known. */
function isLight(env: ThemeChoice['env'], background: ThemeChoice['background']): boolean {
  if (background !== null && background !== undefined) {
    const [red, green, blue] = background;
    return 0.299 * red + 0.587 * green + 0.114 * blue > 0.5;
  }
  const last = (env['COLORFGBG'] ?? '').split(';').at(-1) ?? '';
  return /^(7|9|1[0-5])$/.test(last);
}

export interface Look {
  readonly theme: Theme;
  /** What the settings say. */
  choose(choice: { readonly theme?: string; readonly reducedMotion?: boolean }): void;
  /** An answer of the terminal to `ASK_BACKGROUND`; any other is nothing. */
  take(reply: string): void;
}

/** Asks for the background colour (OSC 11). */
export const ASK_BACKGROUND = '\x1b]11;?\x07';

type Colour = readonly [red: number, green: number, blue: number];

export function createLook(
  env: Readonly<Record<string, string | undefined>>,
  onChange: () => void = () => undefined,
): Look {
  let choice: { readonly theme?: string; readonly reducedMotion?: boolean } = {};
  let background: Colour | null = null;
  let current = createTheme({ env });
  const renew = (): void => {
    current = createTheme({ ...choice, env, background });
    onChange();
  };
  return {
    theme: {
      get name() {
        return current.name;
      },
      get colour() {
        return current.colour;
      },
      get reducedMotion() {
        return current.reducedMotion;
      },
      paint: (text, tone) => current.paint(text, tone),
    },
    choose(next) {
      choice = next;
      renew();
    },
    take(reply) {
      const colour = backgroundOf(reply);
      if (colour === null) return;
      background = colour;
      renew();
    },
  };
}

/** `rgb:ffff/8080/0000`, each part with one to four digits. */
function backgroundOf(reply: string): Colour | null {
  const [, ...parts] = /\]11;rgba?:([\da-f]{1,4})\/([\da-f]{1,4})\/([\da-f]{1,4})/i.exec(reply) ?? [];
  if (parts.length !== 3) return null;
  const [red = 0, green = 0, blue = 0] = parts.map((part) => Number.parseInt(part, 16) / (16 ** part.length - 1));
  return [red, green, blue];
}
