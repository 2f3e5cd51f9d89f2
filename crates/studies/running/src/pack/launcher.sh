#!/bin/sh
# Starts the program of this pack if the machine has what it was compiled for.
needs_architecture='@ARCHITECTURE@'
needs_glibc='@GLIBC@'
needs_cpu='@CPU@'

refuse() {
    echo "wiredyno: this pack $1" >&2
    exit 1
}

has_architecture=$(uname -m)
if [ "$has_architecture" != "$needs_architecture" ]; then
    refuse "is for $needs_architecture, and this machine is $has_architecture: pack on a machine of its kind"
fi
if [ -n "$needs_glibc" ]; then
    has_glibc=$(getconf GNU_LIBC_VERSION 2>/dev/null)
    has_glibc=${has_glibc#glibc }
    if [ -z "$has_glibc" ]; then
        refuse "needs the GNU C library (glibc) $needs_glibc, and there is none here: use a system that has it"
    fi
    older=$(( ${has_glibc%%.*} * 1000 + ${has_glibc#*.} < ${needs_glibc%%.*} * 1000 + ${needs_glibc#*.} ))
    if [ "$older" = 1 ]; then
        refuse "needs glibc $needs_glibc or newer, and this machine has $has_glibc: use a newer system, or pack on one as old as this"
    fi
fi
has_cpu=" $(sed -n 's/^\(flags\|Features\)[[:space:]]*: //p;' /proc/cpuinfo | head -n 1) "
for feature in $needs_cpu; do
    case $has_cpu in
    *" $feature "*) ;;
    *) refuse "was compiled for CPUs with $feature, which this one lacks: pack with a program that was built without it" ;;
    esac
done
exec "$(dirname -- "$(readlink -f -- "$0")")/bin/wiredyno" "$@"
