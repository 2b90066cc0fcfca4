// What a line that a person types means to a session.

/** `# a note` of one line is one to keep. */
export function asCommand(text: string): string {
  const [, note] = /^#[ \t]*([^#\s].*)$/.exec(text) ?? [];
  return note === undefined ? text : `/memory add ${note}`;
}
