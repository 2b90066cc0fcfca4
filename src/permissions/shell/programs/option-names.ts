// Further names of options, by program: which short name and which long one say the same, as their help tells. For rules that
// deny and ask alone; what the options do is said in the descriptions. One rule: nothing is allowed by what stands here.
import { type OptionEffect, type ProgramTable, programTable } from './program-table.js';

/**
 * By programs, apart by commas, or one of their subcommands: names of the same option joined by commas. `=`: it takes a value;
 * `?`: the long one may have one.
 */
const NAMES: Readonly<Record<string, string>> = {
  addr2line: '-C,--demangle? -R,--recurse-limit -r,--no-recurse-limit',
  as: '-g,--gen-debug -L,--keep-locals -M,--mri',
  'base64, base32, basenc': '-d,--decode -i,--ignore-garbage',
  basename: '-a,--multiple -s,--suffix= -z,--zero',
  blkdiscard: '-f,--force -o,--offset= -l,--length= -p,--step= -s,--secure -z,--zeroout -v,--verbose',
  blkid:
    '-c,--cache-file= -d,--no-encoding -g,--garbage-collect -o,--output= -k,--list-filesystems -s,--match-tag= ' +
    '-t,--match-token= -l,--list-one -L,--label= -U,--uuid= -p,--probe -i,--info -H,--hint= -S,--size= ' +
    '-O,--offset= -u,--usages= -n,--match-types= -D,--no-part-details',
  busctl: '-l,--full -H,--host= -M,--machine= -q,--quiet',
  cat:
    '-A,--show-all -b,--number-nonblank -E,--show-ends -n,--number -s,--squeeze-blank -T,--show-tabs ' +
    '-v,--show-nonprinting',
  chage:
    '-d,--lastday= -E,--expiredate= -i,--iso8601 -I,--inactive= -l,--list -m,--mindays= -M,--maxdays= -R,--root= ' +
    '-W,--warndays=',
  chcon: '-h,--no-dereference -u,--user= -r,--role= -t,--type= -l,--range= -v,--verbose',
  chcpu: '-e,--enable= -d,--disable= -c,--configure= -g,--deconfigure= -p,--dispatch= -r,--rescan',
  chfn: '-f,--full-name= -h,--home-phone= -o,--other= -r,--room= -R,--root= -w,--work-phone=',
  chmem: '-e,--enable -d,--disable -b,--blocks -z,--zone= -v,--verbose',
  chpasswd: '-c,--crypt-method= -e,--encrypted -m,--md5 -R,--root= -s,--sha-rounds',
  'chrt, mesg, git fsck': '-v,--verbose',
  chsh: '-R,--root= -s,--shell=',
  cmp: '-b,--print-bytes -l,--verbose -s,--quiet,--silent',
  comm: '-z,--zero-terminated',
  'cp, mv': '-u,--update',
  cpio:
    '-i,--extract -o,--create -p,--pass-through -t,--list -C,--io-size= -H,--format= -R,--owner= -v,--verbose ' +
    '-V,--dot -W,--warning= -F,--file= -M,--message= -b,--swap -f,--nonmatching -n,--numeric-uid-gid -r,--rename ' +
    '-s,--swap-bytes -S,--swap-halfwords -E,--pattern-file= -A,--append -l,--link -0,--null ' +
    '-a,--reset-access-time -L,--dereference -d,--make-directories -m,--preserve-modification-time ' +
    '-u,--unconditional',
  cut: '-s,--only-delimited -z,--zero-terminated',
  df: '-a,--all -h,--human-readable -H,--si -i,--inodes -l,--local -P,--portability -T,--print-type',
  diff:
    '-e,--ed -n,--rcs -p,--show-c-function -t,--expand-tabs -T,--initial-tab -E,--ignore-tab-expansion ' +
    '-Z,--ignore-trailing-space -b,--ignore-space-change -B,--ignore-blank-lines -a,--text -d,--minimal',
  dircolors: '-b,--sh,--bourne-shell -c,--csh,--c-shell -p,--print-database',
  dirname: '-z,--zero',
  dmesg:
    '-C,--clear -c,--read-clear -D,--console-off -E,--console-on -F,--file= -f,--facility= -H,--human -J,--json ' +
    '-k,--kernel -L,--color? -l,--level= -n,--console-level= -P,--nopager -p,--force-prefix -r,--raw -S,--syslog ' +
    '-s,--buffer-size= -u,--userspace -w,--follow -W,--follow-new -x,--decode -d,--show-delta -e,--reltime ' +
    '-T,--ctime -t,--notime',
  dpkg:
    '-i,--install -A,--record-avail -r,--remove -P,--purge -V,--verify? -s,--status? -p,--print-avail? ' +
    '-L,--listfiles= -l,--list? -S,--search= -C,--audit? -O,--selected-only -E,--skip-same-version ' +
    '-G,--refuse-downgrade -B,--auto-deconfigure',
  'dpkg-deb':
    '-b,--build= -c,--contents= -I,--info= -W,--show= -f,--field= -e,--control= -x,--extract= -X,--vextract= ' +
    '-R,--raw-extract= -v,--verbose -D,--debug',
  'dpkg-query': '-s,--status? -p,--print-avail? -L,--listfiles= -l,--list? -W,--show? -S,--search= -c,--control-path=',
  du:
    '-0,--null -b,--bytes -D,--dereference-args -l,--count-links -P,--no-dereference -S,--separate-dirs ' +
    '-x,--one-file-system',
  dwp: '-o,--output= -v,--verbose',
  expand: '-i,--initial',
  fallocate:
    '-c,--collapse-range -d,--dig-holes -i,--insert-range -n,--keep-size -p,--punch-hole -z,--zero-range ' +
    '-x,--posix -v,--verbose',
  file: '-d,--debug',
  findmnt: '-m,--mtab -y,--shell',
  fmt: '-c,--crown-margin -s,--split-only -t,--tagged-paragraph -u,--uniform-spacing',
  fold: '-b,--bytes -s,--spaces',
  free:
    '-b,--bytes -k,--kibi -m,--mebi -g,--gibi -h,--human -l,--lohi -t,--total -v,--committed -s,--seconds= ' +
    '-c,--count= -w,--wide',
  fsfreeze: '-f,--freeze -u,--unfreeze',
  fstrim: '-a,--all -A,--fstab -I,--listed-in= -o,--offset= -l,--length= -m,--minimum= -v,--verbose -n,--dry-run',
  fuser:
    '-a,--all -i,--interactive -I,--inode -k,--kill -l,--list-signals -m,--mount -M,--ismountpoint ' +
    '-n,--namespace= -s,--silent -u,--user -v,--verbose -w,--writeonly -4,--ipv4 -6,--ipv6',
  gdb: '-x,--command= -q,--quiet,--silent -D,--data-directory=',
  'npm exec': '-c,--call= -p,--package= -q,--quiet -w,--workspace= -y,--yes',
  'pnpm dlx': '-c,--shell-mode -p,--package=',
  'bun x': '-p,--package=',
  'uv tool': '-p,--python= -q,--quiet',
  'git am': '-q,--quiet -u,--utf8',
  'git archive': '-v,--verbose -l,--list',
  'git blame': '-f,--show-name -n,--show-number -p,--porcelain -e,--show-email',
  'git config': '-t,--type=',
  'git diff': '-X,--dirstat? -D,--irreversible-delete -I,--ignore-matching-lines=',
  'git fetch': '-m,--multiple',
  'git format-patch': '-n,--numbered -N,--no-numbered -s,--signoff -k,--keep-subject -p,--no-stat -q,--quiet',
  'git gc, git log': '-q,--quiet',
  'git grep':
    '-v,--invert-match -i,--ignore-case -w,--word-regexp -a,--text -r,--recursive -E,--extended-regexp ' +
    '-G,--basic-regexp -F,--fixed-strings -P,--perl-regexp -n,--line-number -l,--files-with-matches ' +
    '-L,--files-without-match -z,--null -o,--only-matching -c,--count -p,--show-function -W,--function-context ' +
    '-q,--quiet',
  'git ls-files':
    '-c,--cached -d,--deleted -m,--modified -o,--others -i,--ignored -s,--stage -k,--killed -u,--unmerged',
  'git ls-tree': '-l,--long',
  'git prune': '-n,--dry-run -v,--verbose',
  'git read-tree': '-v,--verbose -q,--quiet',
  'git repack':
    '-q,--quiet -l,--local -b,--write-bitmap-index -i,--delta-islands -k,--keep-unreachable -g,--geometric= ' +
    '-m,--write-midx',
  'git shortlog': '-c,--committer -s,--summary -e,--email',
  'git show-branch': '-a,--all -r,--remotes -g,--reflog?',
  gpasswd: '-a,--add= -d,--delete= -Q,--root= -r,--remove-password -R,--restrict -M,--members= -A,--administrators=',
  gpg: '-n,--dry-run -i,--interactive',
  groupadd:
    '-f,--force -g,--gid= -K,--key= -o,--non-unique -p,--password= -r,--system -R,--root= -P,--prefix= ' +
    '-U,--users=',
  groupdel: '-R,--root= -P,--prefix= -f,--force',
  groupmod: '-a,--append -g,--gid= -n,--new-name= -o,--non-unique -p,--password= -R,--root= -P,--prefix= -U,--users=',
  gzip: '-1,--fast -9,--best',
  head: '-q,--quiet,--silent -v,--verbose -z,--zero-terminated',
  'hexdump, hd':
    '-b,--one-byte-octal -c,--one-byte-char -C,--canonical -d,--two-bytes-decimal -o,--two-bytes-octal ' +
    '-x,--two-bytes-hex -v,--no-squeezing',
  'hostnamectl, localectl': '-H,--host= -M,--machine=',
  hwclock: '-r,--show -s,--hctosys -w,--systohc -a,--adjust -u,--utc -l,--localtime -f,--rtc= -v,--verbose',
  id: '-Z,--context -g,--group -G,--groups -n,--name -r,--real -u,--user -z,--zero',
  ipcmk: '-M,--shmem= -S,--semaphore= -Q,--queue -p,--mode=',
  ipcrm:
    '-m,--shmem-id= -M,--shmem-key= -q,--queue-id= -Q,--queue-key= -s,--semaphore-id= -S,--semaphore-key= ' +
    '-a,--all? -v,--verbose',
  join: '-i,--ignore-case -z,--zero-terminated',
  journalctl:
    '-m,--merge -c,--cursor= -t,--identifier= -p,--priority= -k,--dmesg -r,--reverse -x,--catalog -a,--all ' +
    '-f,--follow -q,--quiet -e,--pager-end -N,--fields -F,--field=',
  killall:
    '-e,--exact -I,--ignore-case -g,--process-group -y,--younger-than -o,--older-than -i,--interactive -l,--list ' +
    '-q,--quiet -r,--regexp -v,--verbose -w,--wait -n,--ns= -Z,--context=',
  'last, lastb':
    '-a,--hostlast -d,--dns -F,--fulltimes -i,--ip -n,--limit= -R,--nohostname -s,--since= -t,--until= ' +
    '-p,--present= -w,--fullnames -x,--system',
  'ld.bfd':
    '-A,--architecture= -E,--export-dynamic -f,--auxiliary= -F,--filter= -G,--gpsize= -M,--print-map -n,--nmagic ' +
    '-N,--omagic -q,--emit-relocs -s,--strip-all -S,--strip-debug -t,--trace -x,--discard-all -X,--discard-locals ' +
    '-y,--trace-symbol= -w,--no-warnings -P,--depaudit=',
  'ld.gold, gold':
    '-d,--define-common -E,--export-dynamic -f,--auxiliary= -F,--filter= -M,--print-map -n,--nmagic -N,--omagic ' +
    '-q,--emit-relocs -s,--strip-all -S,--strip-debug -t,--trace -x,--discard-all -X,--discard-locals ' +
    '-y,--trace-symbol=',
  ldconfig: '-c,--format= -i,--ignore-aux-cache -p,--print-cache -v,--verbose',
  'linux32, linux64, i386, x86_64, setarch':
    '-F,--fdpic-funcptrs -I,--short-inode -L,--addr-compat-layout -R,--addr-no-randomize -S,--whole-seconds ' +
    '-T,--sticky-timeouts -X,--read-implies-exec -Z,--mmap-page-zero -v,--verbose',
  ln: '-n,--no-dereference',
  locale: '-a,--all-locales -m,--charmaps -c,--category-name -k,--keyword-name -v,--verbose',
  loginctl: '-H,--host= -M,--machine= -p,--property= -a,--all -l,--full -s,--signal= -n,--lines= -o,--output=',
  look: '-a,--alternative -d,--alphanum -f,--ignore-case -t,--terminate=',
  losetup:
    '-a,--all -d,--detach= -D,--detach-all -f,--find -c,--set-capacity= -j,--associated= -L,--nooverlap ' +
    '-o,--offset= -b,--sector-size= -P,--partscan -r,--read-only -v,--verbose -J,--json -l,--list -n,--noheadings ' +
    '-O,--output=',
  'ls, dir, vdir':
    '-b,--escape -B,--ignore-backups -D,--dired -F,--classify? -G,--no-group -H,--dereference-command-line ' +
    '-i,--inode -k,--kibibytes -n,--numeric-uid-gid -N,--literal -q,--hide-control-chars -Q,--quote-name ' +
    '-s,--size -Z,--context',
  lsblk:
    '-A,--noempty -E,--dedup= -M,--merge -O,--output-all -P,--pairs -T,--tree? -i,--ascii -s,--inverse ' +
    '-w,--width= -y,--shell -z,--zoned',
  lscpu:
    '-a,--all -b,--online -B,--bytes -C,--caches? -c,--offline -J,--json -e,--extended? -p,--parse? -x,--hex ' +
    '-y,--physical',
  lsipc:
    '-m,--shmems -q,--queues -s,--semaphores -g,--global -i,--id= -c,--creator -e,--export -n,--newline -l,--list ' +
    '-P,--numeric-perms -t,--time -y,--shell',
  lslocks: '-i,--noinaccessible -p,--pid= -u,--notruncate',
  lslogins:
    '-a,--acc-expiration -c,--colon-separate -e,--export -f,--failed -G,--supp-groups -g,--groups= -L,--last ' +
    '-l,--logins= -n,--newline -o,--output? -p,--pwd -r,--raw -s,--system-accs -u,--user-accs -y,--shell ' +
    '-Z,--context -z,--print0',
  lsmem: '-P,--pairs -a,--all -S,--split=',
  lsns:
    '-J,--json -l,--list -n,--noheadings -o,--output= -p,--task= -r,--raw -u,--notruncate -W,--nowrap -t,--type= ' +
    '-T,--tree=',
  'make, gmake': '-L,--check-symlink-times -R,--no-builtin-variables',
  man:
    '-d,--debug -D,--default -w,--where,--path,--location -W,--where-cat,--location-cat -c,--catman ' +
    '-i,--ignore-case -I,--match-case -a,--all -u,--update -7,--ascii -t,--troff -X,--gxditview? -Z,--ditroff',
  mcookie: '-m,--max-size= -v,--verbose',
  mkfs: '-t,--type= -V,--verbose',
  mkswap: '-c,--check -f,--force -q,--quiet -p,--pagesize= -L,--label= -v,--swapversion= -U,--uuid=',
  mktemp: '-p,--tmpdir=',
  more:
    '-d,--silent -f,--logical -l,--no-pause -c,--print-over -p,--clean-print -e,--exit-on-eof -s,--squeeze ' +
    '-u,--plain',
  mount:
    '-a,--all -c,--no-canonicalize -f,--fake -F,--fork -T,--fstab= -i,--internal-only -l,--show-labels ' +
    '-m,--mkdir? -n,--no-mtab -o,--options= -O,--test-opts= -r,--read-only -t,--types= -v,--verbose ' +
    '-w,--rw,--read-write -N,--namespace= -L,--label= -U,--uuid= -B,--bind -M,--move -R,--rbind',
  mountpoint: '-q,--quiet -d,--fs-devno -x,--devno',
  'msgattrib, msgen':
    '-P,--properties-input -e,--no-escape -E,--escape -i,--indent -n,--add-location -p,--properties-output ' +
    '-w,--width= -s,--sort-output -F,--sort-by-file',
  msgcat:
    '-u,--unique -P,--properties-input -t,--to-code= -e,--no-escape -E,--escape -i,--indent -n,--add-location ' +
    '-p,--properties-output -w,--width= -s,--sort-output -F,--sort-by-file',
  msgcmp: '-m,--multi-domain -N,--no-fuzzy-matching -P,--properties-input',
  msgcomm:
    '-u,--unique -P,--properties-input -e,--no-escape -E,--escape -i,--indent -n,--add-location ' +
    '-p,--properties-output -w,--width= -s,--sort-output -F,--sort-by-file',
  msgconv:
    '-t,--to-code= -P,--properties-input -e,--no-escape -E,--escape -i,--indent -n,--add-location ' +
    '-p,--properties-output -w,--width= -s,--sort-output -F,--sort-by-file',
  msgexec: '-P,--properties-input',
  msgfilter:
    '-e,--expression= -f,--file= -n,--quiet,--silent -P,--properties-input -E,--escape -p,--properties-output ' +
    '-w,--width= -s,--sort-output -F,--sort-by-file',
  msgfmt:
    '-j,--java -r,--resource= -l,--locale= -k,--keyword -L,--language= -P,--properties-input -c,--check ' +
    '-C,--check-compatibility -f,--use-fuzzy -a,--alignment= -v,--verbose',
  msggrep:
    '-N,--location= -M,--domain= -J,--msgctxt -K,--msgid -T,--msgstr -C,--comment -X,--extracted-comment ' +
    '-E,--extended-regexp -F,--fixed-strings -e,--regexp= -f,--file= -i,--ignore-case -v,--invert-match ' +
    '-P,--properties-input -n,--add-location -p,--properties-output -w,--width=',
  msginit: '-i,--input= -P,--properties-input -l,--locale= -p,--properties-output -w,--width=',
  msgmerge:
    '-C,--compendium= -U,--update -m,--multi-domain -N,--no-fuzzy-matching -P,--properties-input -e,--no-escape ' +
    '-E,--escape -i,--indent -n,--add-location -p,--properties-output -w,--width= -s,--sort-output ' +
    '-F,--sort-by-file -v,--verbose -q,--quiet,--silent',
  msgunfmt:
    '-j,--java -r,--resource= -l,--locale= -e,--no-escape -E,--escape -i,--indent -p,--properties-output ' +
    '-w,--width= -s,--sort-output -v,--verbose',
  msguniq:
    '-d,--repeated -u,--unique -P,--properties-input -t,--to-code= -e,--no-escape -E,--escape -i,--indent ' +
    '-n,--add-location -p,--properties-output -w,--width= -s,--sort-output -F,--sort-by-file',
  mvn:
    '-B,--batch-mode -C,--strict-checksums -D,--define= -f,--file= -N,--non-recursive -o,--offline ' +
    '-P,--activate-profiles= -q,--quiet -s,--settings= -T,--threads= -U,--update-snapshots -X,--debug',
  networkctl: '-a,--all -s,--stats -l,--full -n,--lines=',
  newusers: '-b,--badname -r,--system -R,--root=',
  nl: '-p,--no-renumber',
  nm: '-C,--demangle? -j,--just-symbols -U,--defined-only -W,--no-weak',
  node: '-i,--interactive',
  numfmt: '-d,--delimiter= -z,--zero-terminated',
  objcopy:
    '-p,--preserve-dates -D,--enable-deterministic-archives -U,--disable-deterministic-archives -S,--strip-all ' +
    '-g,--strip-debug -L,--localize-symbol= -G,--keep-global-symbol= -W,--weaken-symbol= -w,--wildcard ' +
    '-x,--discard-all -X,--discard-locals -i,--interleave? -b,--byte= -v,--verbose',
  objdump:
    '-P,--private= -d,--disassemble -S,--source -e,--debugging-tags -W,--dwarf? -L,--process-links -i,--info ' +
    '-I,--include= -F,--file-offsets -C,--demangle?',
  od: '-S,--strings= -v,--output-duplicates',
  passwd:
    '-a,--all -d,--delete -e,--expire -k,--keep-tokens -i,--inactive= -l,--lock -n,--mindays= -q,--quiet ' +
    '-r,--repository= -R,--root= -S,--status -u,--unlock -w,--warndays= -x,--maxdays=',
  paste: '-s,--serial -z,--zero-terminated',
  pgrep:
    '-l,--list-name -a,--list-full -v,--inverse -w,--lightweight -c,--count -f,--full -i,--ignore-case ' +
    '-n,--newest -o,--oldest -x,--exact -L,--logpidfile -A,--ignore-ancestors',
  pkill:
    '-q,--queue= -e,--echo -c,--count -f,--full -G,--group= -i,--ignore-case -n,--newest -o,--oldest -O,--older= ' +
    '-s,--session= -u,--euid= -x,--exact -L,--logpidfile -r,--runstates= -A,--ignore-ancestors',
  pmap:
    '-x,--extended -c,--read-rc -C,--read-rc-from= -n,--create-rc -N,--create-rc-to= -d,--device -q,--quiet ' +
    '-p,--show-path -A,--range=',
  prlimit:
    '-p,--pid= -o,--output= -c,--core -d,--data -e,--nice -f,--fsize -i,--sigpending -l,--memlock -m,--rss ' +
    '-n,--nofile -q,--msgqueue -r,--rtprio -s,--stack -t,--cpu -u,--nproc -v,--as -x,--locks -y,--rttime',
  psql:
    '-X,--no-psqlrc -a,--echo-all -b,--echo-errors -e,--echo-queries -E,--echo-hidden -n,--no-readline -q,--quiet ' +
    '-s,--single-step -S,--single-line -A,--no-align -H,--html -t,--tuples-only -x,--expanded ' +
    '-z,--field-separator-zero -0,--record-separator-zero -w,--no-password -W,--password',
  pstree:
    '-a,--arguments -A,--ascii -c,--compact-not -C,--color= -g,--show-pgids -G,--vt100 -h,--highlight-all ' +
    '-H,--highlight-pid= -l,--long -n,--numeric-sort -N,--ns-sort= -p,--show-pids -s,--show-parents ' +
    '-S,--ns-changes -t,--thread-names -T,--hide-threads -u,--uid-changes -U,--unicode -Z,--security-context',
  readelf:
    '-C,--demangle? -U,--unicode? -L,--lint,--enable-checks -z,--decompress -w,--debug-dump? -P,--process-links ' +
    '-T,--silent-truncation',
  readlink:
    '-f,--canonicalize -e,--canonicalize-existing -m,--canonicalize-missing -n,--no-newline -q,--quiet ' +
    '-s,--silent -v,--verbose -z,--zero',
  realpath:
    '-e,--canonicalize-existing -m,--canonicalize-missing -L,--logical -P,--physical -q,--quiet ' +
    '-s,--strip,--no-symlinks -z,--zero',
  'reboot, halt, poweroff': '-p,--poweroff -f,--force -w,--wtmp-only -d,--no-wtmp',
  renice: '-n,--priority= -p,--pid -g,--pgrp -u,--user',
  rsync:
    '-v,--verbose -q,--quiet -c,--checksum -u,--update -k,--copy-dirlinks -K,--keep-dirlinks -H,--hard-links ' +
    '-p,--perms -E,--executability -A,--acls -X,--xattrs -o,--owner -g,--group -t,--times -U,--atimes ' +
    '-N,--crtimes -O,--omit-dir-times -J,--omit-link-times -S,--sparse -n,--dry-run -W,--whole-file ' +
    '-x,--one-file-system -m,--prune-empty-dirs -I,--ignore-times -y,--fuzzy -z,--compress -C,--cvs-exclude ' +
    '-0,--from0 -s,--secluded-args -h,--human-readable -i,--itemize-changes -4,--ipv4 -6,--ipv6',
  rtcwake:
    '-a,--auto -A,--adjfile= -d,--device= -n,--dry-run -l,--local -m,--mode= -s,--seconds= -t,--time= -u,--utc ' +
    '-v,--verbose',
  runuser:
    '-u,--user= -w,--whitelist-environment= -g,--group= -G,--supp-group= -c,--command= -f,--fast -s,--shell= ' +
    '-P,--pty',
  script: '-t,--timing? -f,--flush',
  sdiff:
    '-E,--ignore-tab-expansion -Z,--ignore-trailing-space -b,--ignore-space-change -W,--ignore-all-space ' +
    '-B,--ignore-blank-lines -H,--speed-large-files',
  seq: '-f,--format= -s,--separator= -w,--equal-width',
  shasum: '-a,--algorithm -q,--quiet -s,--status',
  shred: '-v,--verbose -x,--exact',
  shutdown: '-H,--halt -P,--poweroff -r,--reboot',
  skill:
    '-f,--fast -i,--interactive -l,--list -L,--table -n,--no-action -v,--verbose -w,--warnings -c,--command= ' +
    '-p,--pid= -t,--tty=',
  slabtop: '-d,--delay= -o,--once -s,--sort=',
  sort: '-c,--check?',
  ss:
    '-n,--numeric -r,--resolve -a,--all -l,--listening -o,--options -e,--extended -m,--memory -p,--processes ' +
    '-T,--threads -i,--info -s,--summary -b,--bpf -E,--events -Z,--context -z,--contexts -N,--net -4,--ipv4 ' +
    '-6,--ipv6 -0,--packet -t,--tcp -M,--mptcp -S,--sctp -u,--udp -d,--dccp -w,--raw -x,--unix -f,--family= ' +
    '-K,--kill -H,--no-header -O,--oneline -A,--query,--socket= -D,--diag= -F,--filter=',
  'start-stop-daemon':
    '-S,--start -K,--stop -T,--status -p,--pidfile= -x,--exec= -n,--name= -u,--user= -g,--group= -c,--chuid= ' +
    '-s,--signal= -a,--startas= -r,--chroot= -d,--chdir= -N,--nicelevel= -P,--procsched= -I,--iosched= ' +
    '-k,--umask= -b,--background -C,--no-close -O,--output= -m,--make-pidfile -R,--retry= -t,--test -o,--oknodo ' +
    '-q,--quiet -v,--verbose',
  strace:
    '-E,--env= -p,--attach= -u,--user= -D,--daemonize? -f,--follow-forks -I,--interruptible= -P,--trace-path= ' +
    '-z,--successful-only -Z,--failed-only -a,--columns= -i,--instruction-pointer -k,--stack-traces ' +
    '-n,--syscall-number -A,--output-append-mode -q,--quiet? -r,--relative-timestamps? -s,--string-limit= ' +
    '-t,--absolute-timestamps? -T,--syscall-times? -v,--no-abbrev -x,--strings-in-hex? -X,--const-print-style= ' +
    '-y,--decode-fds? -Y,--decode-pids= -c,--summary-only -C,--summary -O,--summary-syscall-overhead= ' +
    '-S,--summary-sort-by= -U,--summary-columns= -w,--summary-wall-clock -d,--debug',
  strip:
    '-p,--preserve-dates -D,--enable-deterministic-archives -U,--disable-deterministic-archives -s,--strip-all ' +
    '-w,--wildcard -x,--discard-all -X,--discard-locals -v,--verbose',
  su: '-w,--whitelist-environment= -g,--group= -G,--supp-group= -c,--command= -f,--fast -s,--shell= -P,--pty',
  sum: '-s,--sysv',
  swaplabel: '-L,--label= -U,--uuid=',
  swapoff: '-a,--all -v,--verbose',
  swapon: '-a,--all -d,--discard? -e,--ifexists -f,--fixpgsz -o,--options= -p,--priority= -s,--summary -v,--verbose',
  sysctl: '-a,--all -b,--binary -e,--ignore -N,--names -n,--values -p,--load? -r,--pattern= -q,--quiet -w,--write',
  systemctl: '-a,--all -l,--full -r,--recursive -T,--show-transaction -s,--signal= -q,--quiet -f,--force',
  'systemd-analyze': '-H,--host= -M,--machine= -q,--quiet',
  'systemd-run': '-d,--same-dir -S,--shell',
  tac: '-b,--before -r,--regex',
  tail: '-f,--follow? -q,--quiet,--silent -v,--verbose -z,--zero-terminated',
  tar:
    '-G,--incremental -n,--seek -S,--sparse -k,--keep-old-files -U,--unlink-first -W,--verify -m,--touch ' +
    '-p,--preserve-permissions,--same-permissions -s,--preserve-order,--same-order -M,--multi-volume ' +
    '-B,--read-full-records -a,--auto-compress -j,--bzip2 -J,--xz -z,--gzip,--gunzip,--ungzip ' +
    '-Z,--compress,--uncompress -l,--check-links -R,--block-number -v,--verbose -w,--interactive,--confirmation',
  timedatectl: '-H,--host= -M,--machine= -p,--property= -a,--all',
  tload: '-d,--delay= -s,--scale=',
  tr: '-d,--delete -s,--squeeze-repeats -t,--truncate-set1',
  tty: '-s,--silent,--quiet',
  umount:
    '-a,--all -A,--all-targets -c,--no-canonicalize -d,--detach-loop -f,--force -i,--internal-only -n,--no-mtab ' +
    '-l,--lazy -O,--test-opts= -R,--recursive -r,--read-only -t,--types= -v,--verbose -q,--quiet -N,--namespace=',
  uname:
    '-a,--all -s,--kernel-name -n,--nodename -r,--kernel-release -v,--kernel-version -m,--machine -p,--processor ' +
    '-i,--hardware-platform -o,--operating-system',
  unexpand: '-a,--all',
  uniq: '-c,--count -d,--repeated -i,--ignore-case -u,--unique -z,--zero-terminated',
  uptime: '-p,--pretty -s,--since',
  useradd:
    '-b,--base-dir= -c,--comment= -d,--home-dir= -D,--defaults -e,--expiredate= -f,--inactive= ' +
    '-F,--add-subids-for-system -g,--gid= -G,--groups= -k,--skel= -K,--key= -l,--no-log-init -m,--create-home ' +
    '-M,--no-create-home -N,--no-user-group -o,--non-unique -p,--password= -r,--system -R,--root= -P,--prefix= ' +
    '-s,--shell= -u,--uid= -U,--user-group -Z,--selinux-user=',
  userdel: '-f,--force -r,--remove -R,--root= -P,--prefix= -Z,--selinux-user',
  usermod:
    '-a,--append -b,--badname -c,--comment= -d,--home= -e,--expiredate= -f,--inactive= -g,--gid= -G,--groups= ' +
    '-l,--login= -L,--lock -m,--move-home -o,--non-unique -p,--password= -P,--prefix= -r,--remove -R,--root= ' +
    '-s,--shell= -u,--uid= -U,--unlock -v,--add-subuids= -V,--del-subuids= -w,--add-subgids= -W,--del-subgids= ' +
    '-Z,--selinux-user=',
  valgrind: '-q,--quiet -v,--verbose',
  vmstat:
    '-a,--active -f,--forks -m,--slabs -n,--one-header -s,--stats -d,--disk -D,--disk-sum -p,--partition= ' +
    '-S,--unit= -w,--wide -t,--timestamp -y,--no-first',
  w: '-h,--no-header -u,--no-current -s,--short -f,--from -o,--old-style -i,--ip-addr',
  wall: '-g,--group= -n,--nobanner -t,--timeout=',
  who:
    '-a,--all -b,--boot -d,--dead -H,--heading -l,--login -p,--process -q,--count -r,--runlevel -s,--short ' +
    '-t,--time -u,--users',
  wipefs:
    '-a,--all -b,--backup -f,--force -i,--noheadings -J,--json -n,--no-act -o,--offset= -O,--output= ' +
    '-p,--parsable -q,--quiet -t,--types=',
  xgettext:
    '-d,--default-domain= -p,--output-dir= -L,--language= -j,--join-existing -x,--exclude-file= -c,--add-comments ' +
    '-a,--extract-all -k,--keyword -T,--trigraphs -e,--no-escape -E,--escape -i,--indent -n,--add-location ' +
    '-w,--width= -s,--sort-output -F,--sort-by-file -m,--msgstr-prefix? -M,--msgstr-suffix? -v,--verbose',
  'xzcat, lzcat':
    '-z,--compress -d,--decompress -t,--test -l,--list -k,--keep -c,--stdout -e,--extreme -T,--threads= ' +
    '-H,--long-help',
  yq: '-i,--in-place,--inplace -y,--yaml-output,--yml-output -Y,--yaml-roundtrip,--yml-roundtrip',
  zcat: '-l,--list -S,--suffix= -t,--test',
  zramctl: '-a,--algorithm= -b,--bytes -f,--find -n,--noheadings -o,--output= -r,--reset -s,--size= -t,--streams=',
  zstdcat: '-k,--keep -d,--decompress -f,--force -c,--stdout -v,--verbose -q,--quiet',
};

/** By program. */
export const OPTION_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries(NAMES).flatMap(([programs, names]) =>
    programs.split(', ').map((program): [string, string] => [program, names]),
  ),
);

const UNDESCRIBED = programTable({});

/**
 * The description with all names of its options; undefined for a program without either.
 * @param isShared it also describes other programs, or other subcommands: what it says may be said of those
 */
export function withAllNames(
  program: string,
  described: ProgramTable | undefined,
  isShared: boolean = described?.isShared === true,
): ProgramTable | undefined {
  const names = OPTION_NAMES.get(program);
  if (names === undefined) return described;
  const table = described ?? UNDESCRIBED;
  const options = new Map(table.options);
  const mainNames = new Map(table.mainNames);
  for (const group of names.split(' ')) {
    const same = group.replace(/[=?]$/, '').split(',');
    // What the description joins with one of them is the same too.
    const mains = new Set(isShared ? [] : same.map((name) => mainNames.get(name) ?? name));
    const others = [...mainNames].filter(([, main]) => mains.has(main)).map(([name]) => name);
    const main = same.find((name) => name.startsWith('--')) ?? group;
    for (const name of [...same, ...others]) mainNames.set(name, main);
    for (const name of same) if (isShared || !options.has(name)) options.set(name, effectOf(group, name));
  }
  const longNames = [...options.keys()].filter((name) => name.startsWith('--'));
  return { ...table, options, mainNames, longNames };
}

function effectOf(group: string, name: string): OptionEffect {
  if (group.endsWith('=')) return 'value';
  return group.endsWith('?') && name.startsWith('--') ? 'attached' : 'flag';
}
