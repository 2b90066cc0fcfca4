// What agents run in projects of several kinds. Written down from what such projects document and what agents do in them;
// nothing was left out because it is asked about.

export interface Kind {
  readonly name: string;
  readonly files: readonly string[];
  /** Work on the project: builds, tests, formatters, version control. */
  readonly commands: readonly string[];
  /** What reaches the registry of its packages, and nothing else. */
  readonly registry: readonly string[];
}

/** Looking around, in every project. */
export const LOOKS: readonly string[] = [
  'ls -la',
  'pwd && ls',
  'git status',
  'git status --short',
  'git diff',
  'git diff --stat HEAD~1',
  'git log --oneline -n 10',
  'git show HEAD --stat',
  'git branch -a',
  'cat src/a.ts | head -50',
  'head -100 src/a.ts',
  "sed -n '10,60p' src/a.ts",
  'grep -rn TODO src | head -20',
  'rg "function \\w+" src -n',
  'find . -name "*.ts" -not -path "./node_modules/*" | head',
  'wc -l src/*',
  'tree -L 2',
  'which node; node --version',
  'du -sh .',
  'cd src && ls',
  'for f in src/*.ts; do wc -l "$f"; done',
  'cat package.json | jq .scripts',
  'test -f README.md && echo yes',
  'ls src | sort | uniq -c',
];

/** What needs more of the network than a sandbox gives that knows the registry and the server of the repository. */
export const FAR: readonly string[] = ['git push', 'gh pr view', 'curl -s https://example.com/api'];
/** What such a sandbox lets out. */
export const NEAR: readonly string[] = ['git fetch origin'];

const GIT = [
  'git add -A',
  'git commit -m "Mend the parser"',
  'git checkout -b topic',
  'git stash',
  'git add src && git commit -m "Say what is wrong"',
];

export const KINDS: readonly Kind[] = [
  {
    name: 'TypeScript',
    files: ['a.ts', 'b.ts', 'index.ts', 'parse.test.ts'],
    commands: [
      ...GIT,
      'npm test',
      'npm run build',
      'npm run lint',
      'npm run test:unit -- --grep parser',
      'npx tsc --noEmit',
      'npx vitest run test/a.test.ts 2>&1 | tail -40',
      'npm run build && npm test',
      'node scripts/make.mjs',
      'npx prettier --write src',
      'mkdir -p src/new && touch src/new/a.ts',
      'rm -rf dist',
    ],
    registry: ['npm install', 'npm install left-pad', 'npm view left-pad'],
  },
  {
    name: 'Python',
    files: ['a.py', 'b.py', 'conftest.py'],
    commands: [
      ...GIT,
      'pytest',
      'pytest -x tests/test_a.py -k parser',
      'python -m pytest -q 2>&1 | tail -20',
      'python3 scripts/run.py',
      'ruff check . --fix',
      'mypy src',
      'black src',
      'python -c "import a; print(a.version)"',
      'source .venv/bin/activate && pytest',
      'make test',
      'rm -rf build',
    ],
    registry: ['pip install requests', 'uv sync', 'poetry install'],
  },
  {
    name: 'Rust',
    files: ['main.rs', 'lib.rs', 'parse.rs'],
    commands: [
      ...GIT,
      'cargo build',
      'cargo test',
      'cargo test parser -- --nocapture',
      'cargo clippy --all-targets',
      'cargo fmt',
      'cargo check 2>&1 | grep error | head',
      'RUST_BACKTRACE=1 cargo test',
      'cargo run -- --help',
    ],
    registry: ['cargo add serde', 'cargo update'],
  },
  {
    name: 'Go',
    files: ['main.go', 'parse.go', 'parse_test.go'],
    commands: [
      ...GIT,
      'go build ./...',
      'go test ./...',
      'go test ./... -run TestParse -v',
      'go vet ./...',
      'gofmt -w src',
      'golangci-lint run',
      'go mod tidy',
      'make lint',
    ],
    registry: ['go get example.com/pkg'],
  },
  {
    name: 'web application',
    files: ['app.tsx', 'index.css', 'api.ts'],
    commands: [
      ...GIT,
      'pnpm test',
      'pnpm run dev > /tmp/dev.log 2>&1 &',
      'pnpm build',
      'pnpm lint --fix',
      'pnpm exec playwright test',
      'curl -s http://localhost:3000/health',
      'docker compose up -d',
      'docker compose logs --tail 50',
      'pkill -f "next dev"',
    ],
    registry: ['pnpm install', 'pnpm add zod'],
  },
  {
    name: 'Java',
    files: ['Main.java', 'Parse.java'],
    commands: [
      ...GIT,
      './gradlew test',
      './gradlew build -x test',
      'mvn -q test',
      'mvn package -DskipTests',
      'java -version',
      './gradlew test --tests ParseTest',
    ],
    registry: ['mvn dependency:resolve'],
  },
  {
    name: 'C',
    files: ['main.c', 'parse.c', 'parse.h'],
    commands: [
      ...GIT,
      'make',
      'make -j4',
      'make clean && make',
      'gcc -Wall -o out src/main.c && ./out',
      'cmake -S . -B build',
      'cmake --build build',
      'ctest --test-dir build',
      './build/parse < test/in.txt',
    ],
    registry: [],
  },
  {
    name: 'documents',
    files: ['guide.md', 'index.md'],
    commands: [
      ...GIT,
      'npx markdownlint docs',
      'mkdocs build',
      'cp docs/guide.md docs/old.md',
      'mv docs/a.md docs/b.md',
      "sed -i 's/colour/color/g' docs/guide.md",
      'for f in docs/*.md; do echo "$f"; done',
    ],
    registry: [],
  },
];
