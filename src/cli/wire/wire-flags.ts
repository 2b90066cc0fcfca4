// The flags of the protocol for programs, which set no option.

/** What the command line asks for beside options of a session. */
export interface WireFlags {
  /** `--await-initialize`: nothing starts before the client has said what it wants. */
  readonly awaitsInitialize: boolean;
  /** `--permission-prompt-tool stdio`: the client is asked about calls. */
  readonly asksClient: boolean;
  /** `--session-mirror`: the client gets what is written to the transcript. */
  readonly mirrors: boolean;
  /** Flags that this command line does not know, as a newer client may send them. */
  readonly unknownFlags: readonly string[];
}
