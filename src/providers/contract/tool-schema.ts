// What model APIs refuse in the schema of a tool's input. One tool with it would fail every request.

const AT_TOP: readonly string[] = ['oneOf', 'anyOf', 'allOf'];
const PROPERTY_NAME = /^[a-zA-Z0-9_.-]{1,64}$/;

/** Keywords of a schema that model APIs refuse at its top, below which they take them. */
export function refusedAtTop(schema: Readonly<Record<string, unknown>>): readonly string[] {
  return AT_TOP.filter((keyword) => schema[keyword] !== undefined);
}

/** The first name of a property that model APIs refuse; undefined where they take all of them. */
export function refusedName(properties: object): string | undefined {
  return Object.keys(properties).find((name) => !PROPERTY_NAME.test(name));
}
