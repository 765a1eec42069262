//! Encrypted files over TCP, at the hardware's speed, with the suite that both ends are fastest at.
