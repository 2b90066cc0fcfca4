// Which models a list of denied ones means. One rule: it compares names, and asks nobody.
import { plainModelName } from '../../session/models/index.js';

export interface DeniedModelsMatch {
  /** For each model asked about, in order. */
  denied: boolean[];
  /** What was not understood, or means less than it seems to. */
  warnings: string[];
}

const FAMILIES = ['opus', 'sonnet', 'haiku', 'fable'];

/**
 * The name of a family (`opus`) means all its models; a model means itself with every date, window and provider.
 * Contract: does not throw, and grants nothing: a name of your own may stand for any model.
 */
export async function matchDeniedModels(
  models: readonly string[],
  deniedModels: readonly string[] | undefined,
): Promise<DeniedModelsMatch> {
  const warnings: string[] = [];
  const entries = (Array.isArray(deniedModels) ? (deniedModels as readonly unknown[]) : []).flatMap((entry) => {
    if (typeof entry !== 'string') {
      warnings.push(`deniedModels has an entry that is not a text (${typeof entry}). It means nothing.`);
      return [];
    }
    const name = plainModelName(entry);
    if (!FAMILIES.includes(name) && !/\d/.test(name))
      warnings.push(
        `"${entry}" means the model of exactly that name. Name a family (${FAMILIES.join(', ')}), or each model of it.`,
      );
    return [name];
  });
  if (deniedModels !== undefined && !Array.isArray(deniedModels))
    warnings.push('deniedModels is not a list. It means nothing.');
  if (!Array.isArray(models))
    return { denied: [], warnings: [...warnings, 'models is not a list, so none was looked at.'] };
  const denied = (models as readonly unknown[]).map((model) => {
    if (typeof model === 'string') return isDenied(plainModelName(model), entries);
    warnings.push(`models has an entry that is not a text (${typeof model}), so it is not a name of a model.`);
    return false;
  });
  return { denied, warnings };
}

function isDenied(model: string, entries: readonly string[]): boolean {
  return entries.some((entry) =>
    FAMILIES.includes(entry) ? model === entry || model.split('-').includes(entry) : model === entry,
  );
}
