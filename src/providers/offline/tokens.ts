// A request as tokens: words, quoted texts and what parts sentences. What is quoted is taken as it is.

export interface Token {
  readonly kind: 'word' | 'quoted' | 'comma' | 'stop';
  /** What it says, without quotation marks. */
  readonly text: string;
  /** The same in lower case if it is a word, else empty: no quoted text is ever taken for a word of the grammar. */
  readonly word: string;
  /** Its place in the request. */
  readonly start: number;
  readonly end: number;
}

// A dot, colon or question mark belongs to a word if more of the word follows, as in "a.ts".
const TOKEN =
  /`([^`]+)`|"([^"]*)"|“([^”]*)”|'([^'\n]*)'(?!\w)|([;!?\n…]|\.(?=\s|$))|(,)|:(?=\s|$)|((?:"[^"\n]*"|[^\s,;"`“”.:!?…]|[.:!?](?=[^\s,;]))+)|\S/g;
const FILLERS = new Set('the a an all me please there thanks'.split(' '));

export function tokenise(text: string): Token[] {
  return [...text.matchAll(TOKEN)].flatMap((found): Token[] => {
    const [whole, ticked, double, curly, single, stop, comma, word] = found;
    const place = { start: found.index, end: found.index + whole.length };
    const exact = ticked ?? curly ?? single ?? (double === undefined ? undefined : withBreaks(double));
    if (exact !== undefined) return [{ kind: 'quoted', text: exact, word: '', ...place }];
    if (stop !== undefined) return [{ kind: 'stop', text: stop, word: '', ...place }];
    if (comma !== undefined) return [{ kind: 'comma', text: ',', word: '', ...place }];
    if (whole === ':') return [];
    return [{ kind: 'word', text: word ?? whole, word: (word ?? whole).toLowerCase(), ...place }];
  });
}

/** In double quotes `\n` and `\t` are a line break and a tab. */
function withBreaks(text: string): string {
  return text.replace(/\\([nt])/g, (_, sign) => (sign === 'n' ? '\n' : '\t'));
}

export function isWord(token: Token | undefined, words: readonly string[]): boolean {
  return token !== undefined && token.word !== '' && words.includes(token.word);
}

export function isFiller(token: Token | undefined): boolean {
  return token !== undefined && FILLERS.has(token.word);
}
