// What no sandboxed command may change or make: files and folders that configure what runs later, outside. Pure.

/** Files that shells run when they start or end. */
const SHELL_FILES = [
  '.bashrc',
  '.bash_profile',
  '.bash_login',
  '.bash_logout',
  '.bash_aliases',
  '.profile',
  '.zshrc',
  '.zprofile',
  '.zshenv',
  '.zlogin',
  '.zlogout',
] as const;

/** In each writable folder, even if they are missing. */
export const PROTECTED = [
  '.turnwright',
  '.claude',
  '.qoder',
  '.vscode',
  '.idea',
  '.mcp.json',
  '.gitmodules',
  '.envrc',
] as const;

/**
 * In each writable folder, if they are there. What stands for a missing path is an empty folder: package managers
 * stop at a folder of these names, so one that a command made is moved aside afterwards.
 */
export const PROTECTED_WHERE_THERE = [
  '.npmrc',
  '.yarnrc',
  '.yarnrc.yml',
  '.husky',
  '.ripgreprc',
  '.gitconfig',
  ...SHELL_FILES,
] as const;

/** The file tools protect these too; an installation in the sandbox writes them. `.git` is guarded by its parts. */
export const MADE_BY_PACKAGE_MANAGERS: ReadonlySet<string> = new Set(['.git', '.pnp.cjs', '.pnp.loader.mjs', '.yarn']);

/** In the user's own folder, even if they are missing. */
export const PROTECTED_AT_HOME = [
  '.gitconfig',
  ...SHELL_FILES,
  '.pam_environment',
  '.xprofile',
  '.xsessionrc',
  '.claude.json',
  '.ssh',
  '.config/systemd',
  '.config/environment.d',
  '.config/autostart',
  '.local/bin',
  'bin',
] as const;

/** In the user's own folder, if they are there. */
export const PROTECTED_AT_HOME_WHERE_THERE = [
  '.gnupg',
  '.config/git',
  '.config/fish',
  '.config/nvim',
  '.config/pip',
  '.local/share/applications',
  '.aws',
  '.cargo/config.toml',
  '.curlrc',
  '.docker',
  '.emacs',
  '.emacs.d',
  '.gdbinit',
  '.inputrc',
  '.kube',
  '.netrc',
  '.pypirc',
  '.tmux.conf',
  '.vim',
  '.vimrc',
  '.wgetrc',
] as const;

/** In a folder of git: what makes git start programs. */
export const PROTECTED_IN_GIT = ['hooks', 'config'] as const;

/**
 * Files that, once they stand in a folder of git, name another folder with another configuration, or are one. What would
 * stand for a missing one would stop git, so it is removed after the command.
 */
export const GIT_REDIRECTIONS = ['commondir', 'config.worktree'] as const;

/** In a worktree's folder of git: which repository it is of. */
export const PROTECTED_IN_WORKTREE = ['gitdir'] as const;

/** With it, and two folders, any folder is a repository whose configuration git obeys. */
export const GIT_HEAD = 'HEAD';

/** Names that a search for protected files below the top looks for. */
export const NESTED_NAMES: ReadonlySet<string> = new Set([...PROTECTED, '.husky', '.git']);
