// The theme that is in force: what the settings say, over what the terminal tells of its background. One object for all
// rooms, whatever it becomes.
import { createTheme, type Theme } from './theme.js';

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
