#!/bin/bash
# systemd_boot.sh ROOT: becomes the systemd of a small machine made of this one's /usr and ROOT's own /etc, /opt, /var.
# To be run as the first process of new namespaces:
#   unshare --fork --pid --mount --uts --ipc --cgroup --kill-child bash systemd_boot.sh ROOT
set -eu
root=$1
mount --make-rprivate /
mount --bind "$root" "$root"
mkdir -p "$root/usr"
mount --rbind /usr "$root/usr"
mount -o remount,bind,ro "$root/usr"
for name in bin sbin lib lib64; do [ -L "/$name" ] && ln -sfn "usr/$name" "$root/$name"; done
while read -r outside inside; do  # read-only views of programs that live elsewhere
    mkdir -p "$root$inside"
    mount --rbind "$outside" "$root$inside"
    mount -o remount,bind,ro "$root$inside" || true
done < "$root/views"
mkdir -p "$root"/{proc,sys,run,tmp,dev,var/lib,var/log,oldroot}
# Nothing of the real machine may be touched: without writable /sys and /proc/sys neither udev nor sysctl set to work.
mount -t proc proc "$root/proc"
mount --bind "$root/proc/sys" "$root/proc/sys"
mount -o remount,bind,ro "$root/proc/sys"
mount -t sysfs -o ro sysfs "$root/sys"
for unit in systemd-udevd systemd-udev-trigger systemd-sysctl systemd-modules-load systemd-binfmt systemd-networkd; do
    ln -sfn /dev/null "$root/etc/systemd/system/$unit.service"
done
for place in run tmp dev; do mount -t tmpfs tmpfs "$root/$place"; done
while read -r name major minor; do mknod -m 666 "$root/dev/$name" c "$major" "$minor"; done <<'NODES'
null 1 3
zero 1 5
full 1 7
random 1 8
urandom 1 9
tty 5 0
NODES
mkdir -p "$root/dev/pts" "$root/dev/shm"
mount -t devpts devpts "$root/dev/pts"
mount -t tmpfs tmpfs "$root/dev/shm"
ln -s /proc/self/fd "$root/dev/fd"
mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup" || mount -t tmpfs tmpfs "$root/sys/fs/cgroup"
cd "$root"
pivot_root . oldroot
cd /
umount -l /oldroot
exec env -i container=test PATH=/usr/sbin:/usr/bin /lib/systemd/systemd --unit=test.target --log-target=console \
    --log-level=info --show-status=false
