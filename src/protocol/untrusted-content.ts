// The policy on what untrusted content may lead to: types only.

/**
 * What may be done once the conversation holds text that nobody vouches for: pages, answers of servers, files of others,
 * messages of commits. Such a text may have decided each call that follows it.
 */
export interface UntrustedContentOptions {
  /**
   * What becomes of a call that sends something, publishes it, writes outside the workspace or changes what runs later.
   * `ask`: a person is asked, whatever rules, modes and hooks allow. `deny`: it does not run. `tell`: it is decided as
   * always, and whoever is asked hears where the texts are from.
   */
  readonly policy: 'ask' | 'deny' | 'tell';
  /**
   * Which files count as untrusted. `untrusted`: those outside the workspace, and all of a folder that nobody vouches for as
   * a whole (`settingSources` with `project`, `--trust`). `outside`: those outside the workspace. `all`: every file.
   * Default `untrusted`.
   */
  readonly files?: 'untrusted' | 'outside' | 'all';
  /** Permission rules: calls that are decided as always, such as `WebFetch(domain:docs.example.com)` or `Bash(npm test)`. */
  readonly allow?: readonly string[];
  /** Permission rules: calls that do not run, if the policy would ask. */
  readonly deny?: readonly string[];
  /** Permission rules: what such calls bring in is trusted. */
  readonly trust?: readonly string[];
  /** Permission rules: what such calls bring in is not trusted. Counts before `trust`. */
  readonly distrust?: readonly string[];
}

/** Where a text came from that nobody vouches for. */
export interface ContentSource {
  readonly kind: 'web' | 'server' | 'file' | 'commits' | 'command' | 'tool' | 'earlier';
  /** A host, a server, a path, a program, a tool. */
  readonly name: string;
}
