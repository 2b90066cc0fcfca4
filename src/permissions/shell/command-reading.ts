// What a command line would do, as far as it can be told without running it. Types only: everybody may import them.

export interface CommandReading {
  readonly unknown: string | null;
  readonly programs: readonly ProgramRun[];
  readonly files: readonly FileUse[];
}

export interface ProgramRun {
  readonly text: string;
  readonly words: readonly (string | null)[];
  readonly name: string | null;
  readonly allowText: string | null;
  readonly restrictTexts: readonly string[];
  readonly readOnly: boolean;
  readonly isGit: boolean;
  readonly unknown: string | null;
}

export interface FileUse {
  readonly path: string | null;
  readonly base: string | null;
  readonly access: 'read' | 'write' | 'remove';
  readonly by: 'redirection' | 'operand';
  readonly program: string | null;
}
