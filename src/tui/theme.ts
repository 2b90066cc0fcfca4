// How text of the terminal looks: tones, not colours, so that a theme is one table.

export type Tone =
  | 'dim'
  | 'strong'
  | 'accent'
  | 'good'
  | 'bad'
  | 'warning'
  | 'added'
  | 'removed'
  | 'prompt'
  | 'heading'
  | 'code'
  | 'link'
  | 'quote'
  | 'selected';

export interface Theme {
  readonly name: string;
  /** Nothing moves but what says something new. */
  readonly reducedMotion: boolean;
  /** `text` in SGR codes; as it is where there are no colours. Contract: the width stays. */
  paint(text: string, tone: Tone): string;
}
