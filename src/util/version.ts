// The version of this package; `npm run check` holds it equal to package.json.
export const VERSION = '0.1.0';
