#!/bin/sh
# usage: empty-root.sh FOLDER EXECUTABLE WORDS...   as root
# Runs the executable as a container would, at its harshest: as process 1 and user 65532, in a root that is read-only and holds
# nothing but it and the C library, with 64 MB of /tmp from which nothing may be run, and without HOME or any other variable
# but VITRINE_ADMIN_KEY. Only /data can be written.
set -eu
folder=$1 executable=$2
shift 2
if [ "${INSIDE:-}" = '' ]; then
  exec env INSIDE=1 unshare --mount --propagation private "$0" "$folder" "$executable" "$@"
fi
root=$folder/root
mkdir -p "$root/tmp" "$root/data" "$root/proc" "$root/dev"
cp "$executable" "$root/vitrine"
for library in $(ldd "$executable" | grep -o '/[^ ]*'); do
  mkdir -p "$root$(dirname "$library")"
  cp -L "$library" "$root$library"
done
touch "$root/dev/null" "$root/dev/urandom"
mount --bind "$root" "$root"
mount --bind /dev/null "$root/dev/null"
mount --bind /dev/urandom "$root/dev/urandom"
mount -t tmpfs -o size=64m,noexec,mode=1777 tmpfs "$root/tmp"
mount -t tmpfs -o size=256m,mode=0700,uid=65532,gid=65532 tmpfs "$root/data"
mount -o remount,bind,ro "$root"
exec env -i PATH="$PATH" VITRINE_ADMIN_KEY="$VITRINE_ADMIN_KEY" unshare --pid --fork --kill-child --mount-proc="$root/proc" \
  chroot --userspec=65532:65532 "$root" /vitrine "$@"
