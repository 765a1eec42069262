package ciphermeter;

/**
 * What a cell is to do, apart from the library's call: sizes in bytes, and counts.
 *
 * @param instances how many objects of the key are made; samples say which they use
 */
record Want(int message, int aad, int offset, long seed, int instances, Rotation rotation) {}
