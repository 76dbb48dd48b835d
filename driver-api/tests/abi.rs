//! Holds the boundary still: a change to any field or signature shows up as a change of the snapshot.

/// After a change that is meant, look at the difference: 1.x may only append methods with default bodies.
#[test]
fn every_field_and_signature_of_the_boundary() {
    insta::assert_snapshot!(driver_api::abi::describe());
}

/// `export_driver!` writes the symbol's name as a literal, which must be the one that abi_stable looks for.
#[test]
fn the_exported_symbol_is_the_one_that_is_looked_for() {
    assert_eq!(driver_api::abi::ROOT_MODULE_LOADER_NAME, "_1as_0lib_1header_0root_bmodule_bloader");
}
