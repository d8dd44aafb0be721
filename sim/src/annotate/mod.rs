//! Join hints for compiler assembly.
