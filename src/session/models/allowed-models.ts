// Which models settings let a session name. Loaded where they say so. One rule: a name that is not listed is refused whoever
// says it, before anything is sent.
import { ConfigError } from '../../protocol/errors.js';

/** What settings say of models. */
export interface AllowedModels {
  /** Names, or families such as `sonnet`. */
  readonly names: readonly string[];
  /** True: also for the model of a session that names none. */
  readonly isForDefault: boolean;
}

/** What of the models of a session is looked at. */
interface Named {
  readonly model: string;
  admit(name: string): Promise<string>;
}

/** @param wanted what the session names; undefined: nothing. @throws ConfigError */
export function withAllowedModels<Models extends Named>(
  models: Models,
  wanted: string | undefined,
  allowed: AllowedModels,
): Models {
  const check = (name: string): void => {
    if (allowed.names.some((entry) => means(entry, name))) return;
    const listed = allowed.names.length === 0 ? 'none' : allowed.names.join(', ');
    throw new ConfigError(`Settings (availableModels) do not list the model ${name}. They list: ${listed}.`);
  };
  if (wanted !== undefined) check(wanted);
  else if (allowed.isForDefault) check(models.model);
  return {
    ...models,
    async admit(name) {
      check(name);
      return models.admit(name);
    },
  };
}

/** A family means each of its models; a name itself, with every date, window and provider. */
function means(entry: string, model: string): boolean {
  const [listed, named] = [plain(entry), plain(model)];
  return named === listed || (!/\d/.test(listed) && named.split(/[-.]/).includes(listed));
}

function plain(name: string): string {
  const last = name.trim().toLowerCase().split('/').at(-1) ?? '';
  return last.replace(/\[[^\]]*\]$/, '').replace(/[-@]\d{8}$/, '');
}
