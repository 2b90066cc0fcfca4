// Files and folders that configure what runs later. A write to one is asked for whatever the rules and the mode say. One
// rule for membership: a program reads it by its name, and it makes that program run or load something, or gives out
// keys; what is the project's own code or its build (Makefile, package.json, conftest.py, CI) is not in here.

/** Folders, in lower case. All below them is protected. Of several parts each only right within the one before. */
export const PROTECTED_FOLDERS: readonly string[] = names(
  // Repositories, and folders of their hooks.
  '.git .githooks .git-hooks git-hooks githooks .hg .husky .jj .lefthook .lefthook-local .cargo-husky .svn',
  // Coding agents.
  '.agents .claude .codex .continue .cursor .gemini .kiro .opencode .qoder .qwen .turnwright .windsurf',
  // Editors, and what they start in their place.
  '.config/helix .config/nvim .devcontainer .emacs.d .fleet .helix .idea .vim .vscode .zed',
  // Package managers, builds, managers of tools and environments.
  '.bundle .cargo .config/direnv .config/mise .config/pip .config/pnpm .config/yarn .gradle/init.d .m2 .mise .mvn .pip .yarn',
  // Shells, sessions and what starts with them.
  '.config/autostart .config/environment.d .config/fish .config/hypr .config/i3 .config/nushell .config/powershell',
  '.config/sway .config/systemd .config/tmux .config/zsh .local/bin .local/share/applications .oh-my-zsh',
  'library/launchagents library/launchdaemons',
  // What interpreters run when they start.
  '.ipython .jupyter .julia/config',
  // Keys, and the programs that give them out.
  '.aws .azure .config/gcloud .config/gh .config/git .config/jj .docker .gnupg .kube .ssh',
);

/** Files, in lower case. Two parts: the second only right within the first. */
export const PROTECTED_FILES: readonly string[] = names(
  // Shells and sessions.
  '.bash_aliases .bash_login .bash_logout .bash_profile .bashrc .cshrc .kshrc .login .logout .mkshrc .pam_environment',
  '.profile .rvmrc .tcshrc .xdefaults .xinitrc .xprofile .xresources .xserverrc .xsession .xsessionrc .yashrc .zlogin',
  '.zlogout .zprofile .zshenv .zshrc',
  // Version control.
  '.git-credentials .gitconfig .gitmodules .hgrc',
  // Hook managers.
  ...spellings(['lefthook', '.lefthook', '.config/lefthook'], 'yml yaml toml json jsonc'),
  ...spellings(['lefthook-local', '.lefthook-local', '.config/lefthook-local'], 'yml yaml toml json jsonc'),
  ...spellings(['simple-git-hooks', '.simple-git-hooks'], 'js cjs mjs json ts'),
  '.huskyrc',
  ...spellings(['.huskyrc'], 'js cjs mjs json yaml yml ts'),
  ...spellings(['husky.config'], 'js cjs mjs json ts'),
  '.lintstagedrc',
  ...spellings(['.lintstagedrc', 'lint-staged.config'], 'js cjs mjs json yaml yml ts mts cts'),
  ...spellings(['.pre-commit-config', '.pre-commit-hooks'], 'yaml yml'),
  'prek.toml .overcommit.yml .local-overcommit.yml captainhook.json .rusty-hook.toml rusty-hook.toml hk.pkl .hk.pkl',
  ...spellings(['grumphp'], 'yml yaml yml.dist yaml.dist'),
  // Coding agents.
  '.aider.conf.yml .claude.json .crush.json .mcp.json crush.json opencode.json opencode.jsonc',
  // Editors and their language servers.
  '.dir-locals.el .dir-locals-2.el .devcontainer.json .emacs .exrc .gvimrc .lvimrc .nvim.lua .nvimrc .spacemacs .vimrc',
  'pyrightconfig.json',
  // Package managers and builds.
  '.ansible.cfg .antrc .bazeliskrc .bazelrc .bazelversion .buckconfig .buckconfig.local .bunfig.toml .condarc .gemrc',
  '.jvmopts .mambarc .mavenrc .npmrc .pnp.cjs .pnp.js .pnp.loader.mjs .pnpmfile.cjs .pnpmfile.mjs .pydistutils.cfg .pypirc',
  '.sbtopts .sbtrc .terraformrc .yarnrc .yarnrc.yml ansible.cfg bunfig.toml gradle-wrapper.jar gradle-wrapper.properties',
  'init.gradle init.gradle.kts maven-wrapper.properties nuget.config pip.conf pip.ini terraform.rc',
  // Managers of tools and environments.
  '.asdfrc .direnvrc .envrc .mise.toml .mise.local.toml .miserc.toml .rtx.toml .tool-versions devbox.json mise.local.toml',
  'mise.toml mise/config.toml mise/config.local.toml',
  // What interpreters, debuggers and clients run when they start.
  '.byebugrc .clisprc .erlang .gdbearlyinit .gdbinit .ghci .gnuplot .guile .iex.exs .irbrc .lldbinit .my.cnf .ocamlinit',
  '.octaverc .pdbrc .perldb .pryrc .psqlrc .racketrc .rdbgrc .renviron .rprofile .sbclrc .sqliterc .user.ini',
  'sitecustomize.py usercustomize.py',
  // Programs of the terminal, and keys.
  '.ackrc .curlrc .forward .inputrc .lessfilter .lesskey .mailcap .mailrc .mbsyncrc .msmtprc .muttrc .netrc .pgpass',
  '.procmailrc .ripgreprc .screenrc .tmux.conf .wgetrc',
);

/** Files that act by how their name ends, right within these folders. */
export const PROTECTED_ENDINGS: readonly { readonly ending: string; readonly folders: readonly string[] }[] = [
  // Python runs lines of these when it starts; elsewhere they are weights of models.
  { ending: '.pth', folders: ['site-packages', 'dist-packages'] },
];

function names(...lists: readonly string[]): readonly string[] {
  return lists.flatMap((list) => list.split(' '));
}

function spellings(starts: readonly string[], endings: string): readonly string[] {
  return starts.flatMap((start) => endings.split(' ').map((ending) => `${start}.${ending}`));
}
