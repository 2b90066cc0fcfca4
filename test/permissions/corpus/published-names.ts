// Names that others publish as ones no agent may change unasked, or that the makers of programs document as read by them:
// held against our own at each release. What is left out has a reason here.

export interface PublishedNames {
  /** Where the names were published, and when they were looked up. */
  readonly source: string;
  /** As written there; a slash at the end for folders. */
  readonly names: readonly string[];
}

function list(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

export const PUBLISHED: readonly PublishedNames[] = [
  {
    source:
      'Claude Code, documentation of its permission modes, protected paths (issue 64639 of its repository, 2026-06)',
    names: list(`.git/ .vscode/ .idea/ .husky/ .cargo/ .claude/ .gitconfig .gitmodules .bashrc .bash_profile .zshrc
      .zprofile .profile .ripgreprc .mcp.json .claude.json`),
  },
  {
    source: 'pi-automode, documentation of its defaults, said to match Claude Code (2026-11)',
    names: list(`.git/ .config/git/ .vscode/ .idea/ .husky/ .cargo/ .devcontainer/ .yarn/ .mvn/ .gitconfig .gitmodules
      .bashrc .zshrc .profile .envrc .npmrc .yarnrc .yarnrc.yml .pnp.cjs bunfig.toml .bazelrc .bazelversion .bazeliskrc
      .pre-commit-config.yaml lefthook.yml gradle-wrapper.properties maven-wrapper.properties .devcontainer.json
      .ripgreprc pyrightconfig.json .mcp.json`),
  },
  {
    source: 'Eira, documentation of its workspace rules, from Claude Code, Codex and published research (2026-11)',
    names:
      list(`.git/ .hg/ .svn/ .gitmodules .codex/ .agents/ .claude/ .gemini/ .cursor/ .mcp.json .claude.json .vscode/
      .idea/ .zed/ .devcontainer/ .devcontainer.json .husky/ .githooks/ .pre-commit-config.yaml lefthook.yml lefthook.yaml
      .lefthook.yml .lefthook.yaml .envrc .yarnrc .yarnrc.yml .yarn/plugins/ .yarn/releases/ .pnpmfile.cjs .pnp.cjs
      .pnp.loader.mjs bunfig.toml .bunfig.toml .cargo/ .mvn/ gradle-wrapper.properties maven-wrapper.properties .bazelrc
      .bazelversion .bazeliskrc .ripgreprc pyrightconfig.json .bash_login .bash_aliases .bash_logout .zprofile .zshenv
      .zlogin .zlogout`),
  },
  {
    source: 'lefthook, documentation, config file name (2026-11)',
    names: list(`lefthook.yml .lefthook.yml .config/lefthook.yml lefthook.yaml .lefthook.yaml .config/lefthook.yaml
      lefthook.toml .lefthook.toml .config/lefthook.toml lefthook.json .lefthook.json .config/lefthook.json lefthook.jsonc
      .lefthook.jsonc .config/lefthook.jsonc lefthook-local.yml .lefthook-local.yml .config/lefthook-local.yml
      lefthook-local.yaml lefthook-local.toml lefthook-local.json .lefthook-local.json .lefthook/ .lefthook-local/`),
  },
  {
    source: 'husky, documentation of versions 1 to 9 (2026-11)',
    names: list(`.husky/ .huskyrc .huskyrc.json .huskyrc.js .huskyrc.yaml .huskyrc.yml husky.config.js`),
  },
  {
    source: 'simple-git-hooks, README (2026-11)',
    names:
      list(`.simple-git-hooks.cjs .simple-git-hooks.js .simple-git-hooks.mjs .simple-git-hooks.json simple-git-hooks.cjs
      simple-git-hooks.js simple-git-hooks.mjs simple-git-hooks.json`),
  },
  {
    source: 'lint-staged, README, configuration (2026-11)',
    names:
      list(`.lintstagedrc .lintstagedrc.json .lintstagedrc.yaml .lintstagedrc.yml .lintstagedrc.mjs .lintstagedrc.cjs
      .lintstagedrc.js lint-staged.config.mjs lint-staged.config.cjs lint-staged.config.js`),
  },
  {
    source: 'pre-commit and prek, documentation',
    names: list('.pre-commit-config.yaml .pre-commit-config.yml prek.toml'),
  },
  { source: 'overcommit, README', names: list('.overcommit.yml .local-overcommit.yml .git-hooks/') },
  {
    source: 'mise, asdf, direnv, devbox, rvm, documentation of their configuration (2026-11)',
    names: list(`mise.toml .mise.toml mise.local.toml .mise.local.toml mise/config.toml .mise/config.toml
      .config/mise/config.toml .config/mise.toml .tool-versions .asdfrc .envrc .direnvrc .config/direnv/direnvrc devbox.json
      .rvmrc`),
  },
  {
    source: 'manuals: files that interpreters, debuggers and clients run when they start',
    names: list(`.gdbinit .gdbearlyinit .lldbinit .Rprofile .Renviron .irbrc .pryrc .psqlrc .sqliterc .my.cnf .mailcap
      .Xresources .Xdefaults .pdbrc .ghci .iex.exs .erlang .ocamlinit .octaverc .sbclrc sitecustomize.py usercustomize.py
      lib/python3.12/site-packages/x.pth .ipython/profile_default/startup/x.py .user.ini`),
  },
  {
    source: 'manuals: editors',
    names: list('.vimrc .exrc .nvimrc .nvim.lua .emacs .emacs.d/ .dir-locals.el .fleet/ .zed/ .helix/ .config/nvim/'),
  },
  {
    source: 'manuals: package managers and builds',
    names: list(`.npmrc .yarnrc .yarnrc.yml .yarn/ .pnpmfile.cjs .pnp.cjs bunfig.toml .cargo/config.toml .gemrc
      .bundle/config .pypirc pip.conf .condarc .m2/settings.xml .gradle/init.d/x.gradle init.gradle .bazelrc .buckconfig
      .terraformrc ansible.cfg nuget.config .mvn/ .sbtopts gradle-wrapper.jar`),
  },
];

/** Published by somebody, and not protected here. */
export const LEFT_OUT: readonly { readonly name: string; readonly why: string }[] = [
  { name: 'conftest.py', why: 'code of the project: what runs it is its own test run' },
  { name: '.gitignore', why: 'starts nothing' },
  { name: '.gitattributes', why: 'names only what the configuration of git defines, which is protected' },
  { name: '.github/workflows/ci.yml', why: 'runs on another machine, after it was pushed' },
  { name: '.gitlab-ci.yml', why: 'runs on another machine, after it was pushed' },
  { name: 'Makefile', why: 'code of the project' },
  { name: 'package.json', why: 'code of the project' },
  { name: 'CLAUDE.md', why: 'instructions, which need trust of the folder and are told to the model as such' },
  { name: 'model.pth', why: 'weights of a model, unless Python finds it among its packages' },
];
