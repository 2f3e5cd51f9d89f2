//! The slots through which a process calls the `malloc` family, and how hooks replace them for a while.
//!
//! A program and its shared libraries, glibc itself among them, call these functions through pointers that the dynamic linker has filled in
//! (ELF gABI, "Dynamic Linking"; x86-64 and AArch64 psABI, "Relocation Types"). While the heap is watched the pointers lead to hooks; before
//! and after they are as the linker made them, so that a call costs the same as in any other program.
//!
//! Limits: it does not find a pointer to one of these functions that a library copied earlier, nor calls within one file that use no
//! pointer.

use std::ffi::{CStr, c_int, c_void};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::Unwatched;

/// A function's name, and the address to call instead.
pub type Hook = (&'static CStr, usize);

/// Types of relocations that store a symbol's address: in a table of pointers, for a call, in data.
#[cfg(target_arch = "x86_64")]
const POINTERS: [u32; 3] = [6, 7, 1];
#[cfg(target_arch = "aarch64")]
const POINTERS: [u32; 3] = [1025, 1026, 257];

const DT_PLTRELSZ: i64 = 2;
const DT_STRTAB: i64 = 5;
const DT_SYMTAB: i64 = 6;
const DT_RELA: i64 = 7;
const DT_RELASZ: i64 = 8;
const DT_JMPREL: i64 = 23;

#[repr(C)]
struct Dynamic {
    tag: i64,
    value: usize,
}

#[repr(C)]
struct Relocation {
    offset: usize,
    info: u64,
    addend: i64,
}

/// A pointer to a function of the family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slot {
    address: usize,
    /// Index of its function among the hooks.
    hook: usize,
    /// Whether the linker made the page read-only afterwards.
    sealed: bool,
}

impl Slot {
    fn pointer(&self) -> &AtomicUsize {
        // SAFETY: a slot lies in a mapped file, is aligned, and is written only by atomic stores once the linker is done.
        unsafe { &*(self.address as *const AtomicUsize) }
    }

    /// The address that it holds now.
    pub fn leads_to(&self) -> usize {
        self.pointer().load(Ordering::Relaxed)
    }

    /// Stores another address, making its page writable for that if necessary.
    fn lead_to(&self, function: usize, page: usize) -> std::io::Result<()> {
        let protect = |access: c_int| {
            if !self.sealed {
                return Ok(());
            }
            let start = self.address & !(page - 1);
            // SAFETY: a page of a mapped file; a slot does not reach beyond it. What others read there stays readable.
            match unsafe { libc::mprotect(start as *mut c_void, page, access) } {
                0 => Ok(()),
                _ => Err(std::io::Error::last_os_error()),
            }
        };
        protect(libc::PROT_READ | libc::PROT_WRITE)?;
        self.pointer().store(function, Ordering::Relaxed);
        protect(libc::PROT_READ)
    }
}

/// What is hooked, and how many watches share it.
struct Hooked {
    users: usize,
    /// The slots with the addresses that they held before.
    slots: Vec<(Slot, usize)>,
}

static HOOKED: Mutex<Hooked> = Mutex::new(Hooked { users: 0, slots: Vec::new() });

fn hooked() -> MutexGuard<'static, Hooked> {
    HOOKED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// While it exists, calls go to the hooks.
pub struct Hooks(());

impl Hooks {
    /// Hooks all slots, or shares existing hooks.
    ///
    /// # Errors
    /// When a page can't be made writable; nothing is hooked then.
    pub fn set(hooks: &[Hook]) -> Result<Hooks, Unwatched> {
        let mut hooked = hooked();
        if hooked.users == 0 {
            let page = page();
            for slot in slots(hooks) {
                let before = slot.leads_to();
                if let Err(error) = slot.lead_to(hooks[slot.hook].1, page) {
                    hooked.release();
                    return Err(Unwatched::Sealed(error));
                }
                hooked.slots.push((slot, before));
            }
        }
        hooked.users += 1;
        Ok(Hooks(()))
    }
}

impl Drop for Hooks {
    fn drop(&mut self) {
        let mut hooked = hooked();
        hooked.users -= 1;
        if hooked.users == 0 {
            hooked.release();
        }
    }
}

impl Hooked {
    fn release(&mut self) {
        let page = page();
        for (slot, before) in self.slots.drain(..) {
            // The page could be made writable before. If it no longer can, the hook stays; it counts nothing and passes calls on.
            let _ = slot.lead_to(before, page);
        }
    }
}

fn page() -> usize {
    // SAFETY: sysconf only answers.
    usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
}

/// The slots of all files that are loaded now.
fn slots(hooks: &[Hook]) -> Vec<Slot> {
    let mut search = Search { hooks, found: Vec::new() };
    // SAFETY: the callback gets this search and keeps nothing of what it is handed.
    unsafe { libc::dl_iterate_phdr(Some(look_at), (&raw mut search).cast()) };
    search.found
}

struct Search<'a> {
    hooks: &'a [Hook],
    found: Vec<Slot>,
}

extern "C" fn look_at(file: *mut libc::dl_phdr_info, _size: usize, search: *mut c_void) -> c_int {
    // SAFETY: the linker hands over what it describes, and `slots` its search.
    let (file, search) = unsafe { (&*file, &mut *search.cast::<Search<'_>>()) };
    if let Some(file) = File::of(file) {
        for (table, bytes) in [(file.relocations, file.relocation_bytes), (file.calls, file.call_bytes)] {
            if table != 0 && file.symbols != 0 && file.names != 0 {
                search.relocations(&file, table, bytes / size_of::<Relocation>());
            }
        }
    }
    0
}

impl Search<'_> {
    fn relocations(&mut self, file: &File, table: usize, count: usize) {
        for place in 0..count {
            // SAFETY: the dynamic section of a loaded file gives place and length of its relocations; symbols and names are what these
            // refer to, and stay mapped as long as the file.
            let (offset, name) = unsafe {
                let relocation = &*(table as *const Relocation).add(place);
                if !POINTERS.contains(&(relocation.info as u32)) || relocation.addend != 0 {
                    continue;
                }
                let symbol = &*(file.symbols as *const libc::Elf64_Sym).add((relocation.info >> 32) as usize);
                (relocation.offset, CStr::from_ptr((file.names + symbol.st_name as usize) as *const _))
            };
            if let Some(hook) = self.hooks.iter().position(|(known, _)| *known == name) {
                let address = file.base + offset;
                let sealed = (file.sealed.0..file.sealed.1).contains(&address);
                self.found.push(Slot { address, hook, sealed });
            }
        }
    }
}

/// A loaded program or library.
#[derive(Default)]
struct File {
    base: usize,
    symbols: usize,
    names: usize,
    relocations: usize,
    relocation_bytes: usize,
    calls: usize,
    call_bytes: usize,
    /// What the linker made read-only: whole pages.
    sealed: (usize, usize),
}

impl File {
    /// `None` for a file that has nothing to link.
    fn of(info: &libc::dl_phdr_info) -> Option<File> {
        // SAFETY: the linker gives the place and number of the program's headers.
        let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()) };
        let base = info.dlpi_addr as usize;
        let at = |header: &libc::Elf64_Phdr| base + header.p_vaddr as usize;
        let dynamic = headers.iter().find(|header| header.p_type == libc::PT_DYNAMIC)?;
        let mut file = File { base, ..File::default() };
        if let Some(header) = headers.iter().find(|header| header.p_type == libc::PT_GNU_RELRO) {
            let mask = !(page() - 1);
            file.sealed = (at(header) & mask, (at(header) + header.p_memsz as usize) & mask);
        }
        let count = dynamic.p_memsz as usize / size_of::<Dynamic>();
        // SAFETY: the header gives the place and length of the dynamic section.
        let entries = unsafe { std::slice::from_raw_parts(at(dynamic) as *const Dynamic, count) };
        // glibc has turned them into addresses where the section is writable; elsewhere they are still relative.
        let place = |value: usize| if value < base { base + value } else { value };
        for entry in entries.iter().take_while(|entry| entry.tag != 0) {
            match entry.tag {
                DT_SYMTAB => file.symbols = place(entry.value),
                DT_STRTAB => file.names = place(entry.value),
                DT_RELA => file.relocations = place(entry.value),
                DT_RELASZ => file.relocation_bytes = entry.value,
                DT_JMPREL => file.calls = place(entry.value),
                DT_PLTRELSZ => file.call_bytes = entry.value,
                _ => {}
            }
        }
        Some(file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alloc::Watch;
    use crate::alloc::malloc::hooks;

    /// The file that contains a function.
    fn file_of(function: usize) -> String {
        let mut info = libc::Dl_info {
            dli_fname: std::ptr::null(),
            dli_fbase: std::ptr::null_mut(),
            dli_sname: std::ptr::null(),
            dli_saddr: std::ptr::null_mut(),
        };
        // SAFETY: any address may be asked for, and the name stays as long as the file is loaded.
        unsafe {
            assert_ne!(libc::dladdr(function as *const c_void, &mut info), 0, "{function:x} is nowhere");
            CStr::from_ptr(info.dli_fname).to_string_lossy().into_owned()
        }
    }

    /// How many slots lead to a hook.
    fn led_to_hooks(slots: &[Slot]) -> usize {
        slots.iter().filter(|slot| hooks().iter().any(|(_, hook)| *hook == slot.leads_to())).count()
    }

    #[test]
    fn outside_a_watch_every_call_is_glibcs_own_and_inside_of_one_every_call_is_hooked() {
        // Other tests of this program watch too: checked while none does.
        let unwatched = loop {
            let hooked = hooked();
            if hooked.users == 0 {
                break hooked;
            }
            drop(hooked);
            std::thread::yield_now();
        };
        let (all, hooks) = (slots(&hooks()), hooks());
        let of = |name: &CStr| all.iter().filter(|slot| hooks[slot.hook].0 == name).count();
        // This program's and glibc's own.
        assert!(of(c"malloc") >= 2 && of(c"free") >= 2 && of(c"realloc") >= 2, "{all:?}");
        assert_eq!(led_to_hooks(&all), 0);
        let own = file_of(led_to_hooks as *const () as usize);
        for slot in all.iter().filter(|slot| file_of(slot.address) == own) {
            let target = file_of(slot.leads_to());
            assert!(target.contains("libc.so"), "{:?} leads to {target}", hooks[slot.hook].0);
        }
        drop(unwatched);
        let (first, second) = (Watch::open().unwrap(), Watch::open().unwrap());
        assert_eq!(led_to_hooks(&all), all.len());
        drop(first);
        assert_eq!(led_to_hooks(&all), all.len(), "another watch is open");
        drop(second);
    }
}
