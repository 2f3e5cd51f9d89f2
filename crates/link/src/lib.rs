//! The emulated link: pure seeded model, namespaces, TUN devices, capture.
