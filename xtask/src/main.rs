fn main() { println!("xtask"); }
