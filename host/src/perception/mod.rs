//! What is on the screen, read from a tree or a picture: pure functions over pixels, text, boxes and points.
//!
//! Knows the neutral tree and encoded pictures. Does not know devices, drivers, tasks, HTTP or who asks; nothing here
//! waits, reads a file or keeps a secret. Every length is in points unless a name says pixels.
//!
//! | module | from | to |
//! | --- | --- | --- |
//! | [`outline`] | a tree | the elements worth showing |
//! | [`refs`] | outlines | short names that outlive scrolling |
//! | [`locator`] | a ref or words | the element meant |
//! | [`render`] | an outline with refs | text or JSON in a bounded number of tokens |
//! | [`find`], [`icon`] | a query | matches with scores, near misses |
//! | [`ocr`] | a picture | its lines of text |
//! | [`shapes`] | a picture, a name or a reference picture | where the icon is |
//! | [`fuse`] | a query, a tree and lines | matches of both |
//! | [`visual`] | what a picture showed | its ref, and where it is now |
//! | [`beside`] | a tree and what its picture shows | what the tree does not tell |
//! | [`describe`] | a tree, and what is beside it | a short description |
//! | [`notes`] | a tree | what is not as it seems |
//! | [`scroll`] | a tree | where a finger scrolls it, and what can be seen within |
//! | [`picture`] | an encoded picture | a smaller one, with marks |
//! | [`geometry`] | pixels, fractions | points, and back |

pub mod beside;
pub mod change;
pub mod cover;
pub mod describe;
pub mod find;
mod fold;
pub mod fuse;
pub mod geometry;
pub mod icon;
mod latest;
pub mod locator;
pub mod notes;
pub mod ocr;
pub mod outline;
pub mod picture;
pub mod refs;
pub mod render;
pub mod scroll;
pub mod shapes;
pub mod signature;
pub mod text;
pub mod tokens;
pub mod visual;

#[cfg(test)]
mod tests;
