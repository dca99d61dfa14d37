//! The durable bytes from outside: what is written is read, what is damaged is noticed, what is odd forgets no strike.

mod arbitrary;
mod archive;
mod damage;
mod field_table;
mod golden;
mod odd_values;
mod pins;
mod round_trip;
mod runs;
mod size;
mod tree;
mod unknown_keys;
