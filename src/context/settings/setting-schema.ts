// What a key of the settings may be described with: some of JSON Schema, and the values that most keys take.

/** What of JSON Schema the description uses. `x-` keywords are ours. */
export interface SettingSchema {
  readonly description?: string;
  readonly type?: 'object' | 'array' | 'string' | 'number' | 'integer' | 'boolean';
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly items?: SettingSchema;
  readonly properties?: Readonly<Record<string, SettingSchema>>;
  /** Absent: no other keys are known. */
  readonly additionalProperties?: SettingSchema;
  /** The only other keys there are. Absent: any. */
  readonly propertyNames?: { readonly enum: readonly string[] };
  readonly required?: readonly string[];
  readonly anyOf?: readonly SettingSchema[];
  /**
   * How the values of two files come together. `concat`: lists are put one behind the other. `replace`: one value takes
   * the place of the other. Default: objects key by key, everything else `replace`.
   */
  readonly 'x-merge'?: 'concat' | 'replace';
  /** What a value counts as that is not understood, or whose name is misspelt. Absent: it is left out. */
  readonly 'x-unclear'?: string | boolean | readonly [];
  /** True: counts in managed settings alone. */
  readonly 'x-managed'?: boolean;
}

export const TEXT = { type: 'string', minLength: 1 } as const;
export const YES_NO = { type: 'boolean' } as const;
export const WHOLE = { type: 'integer', minimum: 0 } as const;
export const COUNT = { type: 'integer', minimum: 1 } as const;
export const TEXTS = { type: 'array', items: TEXT } as const;
/** Of every file together. */
export const ALL_TEXTS = { ...TEXTS, 'x-merge': 'concat' } as const;
