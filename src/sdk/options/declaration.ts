// What the declaration of an option says. The files of `declared/` hold one for each option; types, lists of names, checks,
// flags, settings, notices and the reference are written from them by `npm run reference`. Types only.
import type { SettingSchema } from '../../context/settings/index.js';

export type SingleKind =
  | 'flag'
  | 'number'
  | 'text'
  | 'texts'
  /** A list of objects. */
  | 'objects'
  /** A text that can name a file. */
  | 'path'
  | 'object'
  | 'function'
  /** Texts or nothing by name, such as variables. */
  | 'variables'
  | 'controller'
  | 'host'
  | 'provider';

/** A kind of value, or several of which one will do. */
export type OptionKind = SingleKind | readonly SingleKind[];

/** Why an option may do nothing. */
export type Idle =
  /** It does nothing in this version. */
  | 'always'
  /** It is about a process that another SDK starts. */
  | 'inProcess'
  /** It is for a server that this version does not know. */
  | 'noServer'
  /** A `provider` of the host's own answers, on its own way. */
  | 'provider'
  /** `resolveModel` names the model of each request. */
  | 'resolveModel'
  /** There is no `resolveModel`. */
  | 'noResolveModel'
  /** The model has no tool to ask questions with. */
  | 'noQuestions'
  /** `supportedDialogKinds` names no dialog that there is. */
  | 'noDialog'
  /** Going on without it would not be safe, so it is an error that says why there is no such thing. */
  | { readonly refused: string };

/** A flag of the command line that sets the option. */
export interface OptionFlag {
  /** Default: the option's name in kebab-case. */
  readonly name?: string;
  readonly short?: string;
  /** What stands behind it, as the help shows it. Absent: nothing. */
  readonly takes?: string;
  /** The same, if it may be left out. */
  readonly optional?: string;
  /**
   * How the value is read: `true` and `false` are the value, `one` is added to a list, `list` is several at once.
   * `own`: a function of its own in `cli/args/flags.ts`.
   */
  readonly reads: 'true' | 'false' | 'text' | 'count' | 'amount' | 'one' | 'list' | 'own';
  /** In the help, a few words. Absent: a flag beside it on the line says it. */
  readonly does?: string;
  /** Its spelling in the help, if the camelCase one is the usual one. */
  readonly shown?: string;
}

/** A key of the settings that says what an option says. */
export type SettingDeclaration = SettingDescription & (SettingCount | OwnSettingCount);

/** Whose value counts, as `npm run reference` writes it. */
interface SettingCount {
  /**
   * `plain`: a managed value counts before the option, the option before a file. `ceiling`: so too, but a managed one
   * only if it is lower, or the only one.
   */
  readonly counts: 'plain' | 'ceiling';
  /** The field of the session's agent that counts before a file; under a ceiling the lower one does. */
  readonly agent?: string;
  /** The option has the value in this part of it. */
  readonly part?: string;
  /** A file does not count if this option is given, or this variable is set. */
  readonly unless?: { readonly option: string } | { readonly variable: string };
}

/** `settings/apply-settings.ts` says whose value counts. */
interface OwnSettingCount {
  readonly counts: 'own';
  /** Why no declaration can. */
  readonly why: string;
}

interface SettingDescription {
  /** In JSON Schema. Default: what the kind of the option says. */
  readonly takes?: SettingSchema;
  /** What it does. Default: what the option does. */
  readonly about?: string;
}

export interface OptionDeclaration {
  /** What is checked of any value, at once; `wrong-option.ts` has the words. */
  readonly kind: OptionKind;
  /** In TypeScript. Default: what the kind says. */
  readonly type?: string;
  /** What it does. */
  readonly about: string;
  /** What holds without it. */
  readonly default?: string;
  /** True: no name of the published SDKs, so it stands in `Options` and not in `QueryOptions`. */
  readonly own?: true;
  /** In `Options`, if that takes more than the plain form of `QueryOptions`, such as objects in place of names. */
  readonly wider?: { readonly type: string; readonly about: string };
  /** What is checked of the value: a whole number of at least 1, or of at least 0, an amount above 0, the name of a model. */
  readonly value?: 'count' | 'whole' | 'amount' | 'model';
  /** The key of the settings that is about the same, with dots between: `retry.waitUntilReset`. */
  readonly setting?: string;
  /**
   * What that key takes, and how it counts. Absent: it says something else than the option, such as a command that prints
   * the key of a model, so `context/settings/schema.ts` describes it.
   */
  readonly inSettings?: SettingDeclaration;
  readonly flags?: readonly OptionFlag[];
  /**
   * Where it acts. `session`: it is passed on under its name, and acts where `QueryEngineConfig` is read. Else the file of
   * `sdk/` that reads it. Absent: nowhere.
   */
  readonly acts?: string;
  /** True: `QueryEngineConfig` has a type of its own for it, of a floor above `protocol/`. */
  readonly typed?: true;
  readonly idle?: Idle;
  /** True: most programs set it, so it stands in README.md. */
  readonly inReadme?: true;
  /** More about it, below `docs/`. */
  readonly see?: string;
}

export type OptionDeclarations = Readonly<Record<string, OptionDeclaration>>;
