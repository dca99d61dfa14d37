// Parts of a record, past the package: its checksum, for a test that writes a header of a later release.

/** CRC-32C (Castagnoli), bit by bit. */
export function crc32c(bytes) {
  let crc = 0xffff_ffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0x82f6_3b78 : 0);
  }
  return ~crc >>> 0;
}

/** The same payload in a frame that only readers of `minReader` or later may open; see src/record/frame.rs. */
export function forLaterReaders(bytes, minReader) {
  const frame = Uint8Array.from(bytes);
  const view = new DataView(frame.buffer);
  view.setUint16(4, minReader, true);
  view.setUint16(6, minReader, true);
  view.setUint32(12, crc32c([...frame.subarray(0, 12), ...frame.subarray(16)]), true);
  return frame;
}
