// The text of src/providers/models/model-limits-data.ts: what the catalogue says of windows and reply lengths, as short as it
// can be said, since every start of the program reads it.

/** @param rows  those of the catalogue: `[provider/model, context window, longest reply, …]` */
export function renderLimits(rows) {
  const lines = new Map();
  for (const [key, contextWindow, maxOutputTokens] of rows) {
    const slash = key.indexOf('/');
    const head = `${key.slice(0, slash)} ${contextWindow} ${maxOutputTokens}`;
    const id = key.slice(slash + 1);
    if (/\s/.test(id)) throw new Error(`${key}: a name with a space cannot be written into a line of limits`);
    lines.set(head, [...(lines.get(head) ?? []), id]);
  }
  const text = [...lines].map(([head, ids]) => `${head} ${ids.join(' ')}\n`).join('');
  return `// Written by scripts/refresh-catalogue.mjs together with catalogue-data.ts; do not edit.
// Figures from models.dev (https://github.com/anomalyco/models.dev), MIT licence, Copyright (c) 2025 spin.dev.

/** A line for the models of one provider with the same limits: provider, context window, longest reply, names. */
export const MODEL_LIMITS = \`
${text}\`;
`;
}
