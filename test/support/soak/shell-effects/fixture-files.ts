// What stands in the tree that lines of chance are run in. `@R` is its root.

/** By path below the root; a path that ends with a slash is an empty folder. */
export const FILES: Readonly<Record<string, string>> = {
  'ws/a.txt': 'alpha a\nbeta b\ngamma c\n',
  'ws/b.txt': 'beta b\nalpha a\ndelta d\n',
  'ws/c.csv': 'id,name\n1,x\n2,y\n',
  'ws/numbers.txt': '3\n1\n2\n',
  'ws/data.json': '{"a":[1,2],"path":"../outside/o.txt"}\n',
  'ws/list.txt': 'a.txt\nsub/s1.txt\n../outside/o.txt\n',
  'ws/list0.txt': 'a.txt\0../outside/o.txt\0',
  'ws/args.txt': '-o\n../outside/o.txt\n',
  'ws/urls.txt': 'http://127.0.0.1:8080/file.txt\n',
  'ws/curl.conf': 'url = "http://127.0.0.1:8080/file.txt"\noutput = "../outside/o.txt"\n',
  'ws/sp ace.txt': 'a b\n',
  'ws/-dash': 'dash\n',
  'ws/.env': 'HIDDEN=secret\n',
  'ws/.hidden': 'hidden\n',
  'ws/.gitignore': '*.log\n*.o\n',
  'ws/prog.awk': '{ print > "awk-made.txt" }\n',
  'ws/prog.sed': 's/a/b/w sed-made.txt\n',
  'ws/filter.jq': '.a\n',
  'ws/script.py': 'import sys\nprint(open("a.txt").read())\n',
  'ws/script.js': 'console.log(require("fs").readFileSync("a.txt","utf8"))\n',
  'ws/script.pl': 'open(my $f,"<","a.txt"); print <$f>;\n',
  'ws/script.sh': '#!/bin/sh\ncat a.txt\n',
  'ws/Makefile': 'all: out.o\nout.o: a.txt\n\tcat a.txt > out.o\nclean:\n\trm -f out.o\ntest:\n\tcat a.txt\n',
  'ws/package.json': '{"name":"x","version":"1.0.0","scripts":{"test":"cat a.txt","build":"cp a.txt out.o"}}\n',
  'ws/x.patch': '--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n-alpha a\n+ALPHA a\n beta b\n gamma c\n',
  'ws/new.patch': '--- /dev/null\n+++ b/made.txt\n@@ -0,0 +1 @@\n+made\n',
  'ws/out.patch': '--- ../outside/o.txt\n+++ ../outside/o.txt\n@@ -1 +1 @@\n-outside o\n+changed\n',
  'ws/ed.patch': '1c\nchanged\n.\n',
  'ws/de.po': 'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\nmsgid "a"\nmsgstr "b"\n',
  'ws/sums.md5': 'd41d8cd98f00b204e9800998ecf8427e  a.txt\nd41d8cd98f00b204e9800998ecf8427e  ../outside/o.txt\n',
  'ws/src/main.c': '#include "../inc.h"\nint main(void) { return 0; }\n',
  'ws/inc.h': '#define X 1\n',
  'ws/src/util.js': 'module.exports = 1;\n',
  'ws/src/deep/x.txt': 'deep x\n',
  'ws/docs/readme.md': '# Read me\n',
  'ws/sub/s1.txt': 'HIDDEN sub one\n',
  'ws/sub/s2.log': 'HIDDEN log\n',
  'ws/sub/.dot': 'HIDDEN dot\n',
  'ws/empty/': '',
  // Of the same names as beside it, some of them not tracked by git.
  'ws/twin/a.txt': 'alpha a\nchanged\n',
  'ws/twin/.env': 'OTHER=value\n',
  'ws/twin/loose.log': 'loose twin\n',
  'ws/loose.log': 'loose log\n',
  'ws/book.ipynb':
    '{"cells":[{"cell_type":"code","id":"c1","source":["x"],"metadata":{},"outputs":[],"execution_count":null}],"metadata":{},"nbformat":4,"nbformat_minor":5}\n',
  'outside/book.ipynb':
    '{"cells":[{"cell_type":"code","id":"c1","source":["CANARY n"],"metadata":{},"outputs":[],"execution_count":null}],"metadata":{},"nbformat":4,"nbformat_minor":5}\n',
  'home/.ssh/id_rsa': 'CANARY KEY id_rsa\n',
  'home/.ssh/config': 'Host x\n',
  'home/.bashrc': '# rc\n',
  'home/.aws/credentials': 'CANARY secret\n',
  'home/notes.txt': 'CANARY notes of the home\n',
  'home/Makefile': 'all:\n\tcat notes.txt\n',
  'outside/o.txt': 'outside o\nCANARY o\n',
  'outside/p.txt': 'outside p\n',
  'outside/dir/q.txt': 'CANARY q\n',
  'outside/Makefile': 'all:\n\tcat o.txt > made\n',
  'outside/package.json': '{"name":"out","version":"1.0.0","scripts":{"test":"cat o.txt"}}\n',
  'outside/script.sh': '#!/bin/sh\ncat o.txt\n',
  'outside/repo/a.txt': 'a of the other repository\n',
  'outside/repo/b.txt': 'CANARY b of the other repository\n',
};

export const LINKS: Readonly<Record<string, string>> = {
  'ws/link-in': 'a.txt',
  'ws/link-out': '../outside/o.txt',
  'ws/dir-in': 'src',
  'ws/dir-out': '../outside',
  'ws/link-missing': '../outside/not-there',
  'ws/link-ssh': '@R/home/.ssh/id_rsa',
  'ws/sub/link-up': '../../outside/p.txt',
  'ws/twin/link-out': '../../outside/p.txt',
  'ws/twin/dir-up': '../../outside/dir',
  'outside/link-back': '../ws/a.txt',
};

/** Stands in files that rules of tests deny, but not in the archives: what was packed before is no such file. */
export const HIDDEN = 'HIDDEN';

/** Lines of a shell that are run in the workspace. */
export const ARCHIVES: readonly string[] = [
  'tar -cf in.tar a.txt sub',
  'tar -czf in.tgz a.txt sub',
  "tar -cPf out.tar --transform='s,^,../outside/,' p.txt -C ../outside",
  'tar -cf hidden.tar --transform=s,.hidden,.git/hooks/post-commit, .hidden',
  'zip -q in.zip a.txt sub/s1.txt',
  'gzip -k -c b.txt > packed.gz',
  'bzip2 -c b.txt > packed.bz2',
  'xz -c b.txt > packed.xz',
  'find a.txt sub | cpio -o > in.cpio',
  'ar rc in.a a.txt b.txt',
  'printf "f: ret\\n" | as -o obj.o',
];

export const GIT_STEPS: readonly string[] = [
  'git init -q --template= -b main',
  'git config user.name N && git config user.email n@example.com',
  'git config core.trustctime false && git config core.checkStat minimal && git config gc.auto 0',
  'git add a.txt b.txt && git commit -qm one',
  'git branch side && git checkout -q side && echo side > side.txt && git add side.txt && git commit -qm side',
  'git checkout -q main && git add -A . && git commit -qm two',
  'git repack -adq && git prune-packed -q; git pack-refs --all',
  'rm -f .git/COMMIT_EDITMSG; echo changed >> a.txt',
];
