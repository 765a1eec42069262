//! Known answers that a card must give before any offer of AES is made: a driver's compiler can be wrong, too.

use ciphermeter_core::Form;

use crate::card::{Card, Job, Refused, Work};
use crate::cell::check;

/// Key, counter block, message, ciphertext. The first is NIST SP 800-38A, F.5.5; the others carry over 32, 64 and 128
/// bits of the counter, from crates/meter/vectors/made/aes-256-ctr.txt, cut to what a carry needs.
const VECTORS: &[[&str; 4]] = &[
    [
        "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
        "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff",
        "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710",
        "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c52b0930daa23de94ce87017ba2d84988ddfc9c58db67aada613c2dd08457941a6",
    ],
    [
        "75714df3ddf4a9bb8b0c84591f884be93301adda0b437ffb00114d6703281c57",
        "8ddc3c633464061f0b01d2b9fffffff9",
        "c96ace08018639dac4582feef0227770cdf638923c3281a1530c7d1c06224b1d7e6deaaba7c84e7fe13cd1d6da22ebb926d343f4bce4e88d38afbf361f7b4478fefa4787141f23f715ae55964e6babaf75081515a433153daaf46319b9b907cee464cc82227b1225f918beb0cd873761826995fa7604ee3e5eaabe03babe7dd471188d36770e29bfdd69573b7f82dfbf",
        "4ea2c9031e1db0dab30ecc2fef842e8575f016a2d574859139b0fde89f0109e217a32fe793da77dedc031c979cb8933f08c11c86ff3b091f421ff3710cd4531f7143b97aa3a7cc5d2cb621ebbd797eadfe26a9c4845125e23a3da34613983d4494299ed1c34ca9a46a5d04c6c3b8c60b57a88c01d70de7e3404728021536dacea00a107563c73f5f0032168263617e98",
    ],
    [
        "69b36d0f1d640d39366c228147331d3150248741d2b3c308452e6428cedad2ab",
        "13f4711af1bf15fdfffffffffffffff9",
        "a4cf596528375bc0425b849917b503e547aba3014a95132342db1f4502fbac29ea4fbed27c31b23744061946a8de007a940c199f71003328aa5d7677a6dd81770ba9880316103654b08dbc055a2a3cbe20a69108d147811b10465b62ae6e18859bc52fe5b70ea6e349e58fa279a8e30239eeebb6eea93adcee9e5fe03cf98433094fc9575215bfc1c2ab0abeac49f39a",
        "32b7767a320052b9c8754a8a3099c248bbc2d50c58bb39e52edde8424088cb2e316cfebb9af15fd48cff345432b5d6e5e984f541ef844c39034aea62ac3bf5d3c140244337f3a9f58182d9005ed6fae2b15c75949f8e2ead697b80595a150f0549cbd3c778c5f8f50cee4262789628b7bde5a067314f25661b2ce1224e6f0a341df2ec5eadc39ebc18e97696ca0b3019",
    ],
    [
        "6dbf85c628f65960bd7768ea358ac3d0d8f4e6b40c9884ee6816ec197bfcfcc8",
        "fffffffffffffffffffffffffffffff9",
        "e475b8619e3b48b364f8d78de873d677ef8346e550ebba3770d6b3c62f84f200ed16bac2253e2d3ce50392007af342f4b0fc2688cf931d42008f1a4196216cef226147d132c21c4482027c89db7c26f2d64079417e3e06543a24e9fe253a2745219f24d9b3781ec43cbba88e03f9475a83657f6cdfd9413f0a96ba6abb05c00021cd474d7ae480afdbd82e0864568199",
        "b92824cb57253255aefb66ce8d9efab112ade9f1ef940f6c376bfcee6fb127cbe57add717e9469ec01b6affecde49c081f0ef8499016f979867a533db82bddd950a2791620cc28ddabbb567d3907ec8bdbce11a1b206f775551865e309b4ab97989ba2957fd54db7fe05763cb4a0fd63ef4ee49b11849409390d22ee887d5827b6e5a286cf8fba5fb280e966cae74797",
    ],
    [
        "90b3c5ad341b9b5586d6ad1bc408516e2bde464bb78eb6b50ac1fd7fc503eb79",
        "738291854e7bd6e3ac71ab0dfd02d526",
        "d32b35985c49101a49eef36175a1009a11",
        "06e1fd659e42219e5e0fd083910ccba4de",
    ],
];

/// Fails with the reason if the card's AES is wrong in any form.
pub fn run(card: &dyn Card) -> Result<(), String> {
    for form in [Form::Device, Form::EndToEnd, Form::Pageable] {
        for [key, counter, message, sealed] in VECTORS {
            let key = bytes(key).try_into().unwrap_or([0; 32]);
            let counter = u128::from_str_radix(counter, 16).unwrap_or(0);
            let (message, sealed) = (bytes(message), bytes(sealed));
            let job = Job { work: Work::Ctr(key), form, bytes: message.len() as u64, apart: true };
            match check(card, job, counter, &message) {
                Ok(output) if output == sealed => {}
                Ok(_) => return Err(format!("wrong output for a known answer in the form {form}")),
                Err(Refused::Unsupported(why) | Refused::Failed(why)) => return Err(why),
            }
        }
    }
    Ok(())
}

/// Bytes from hex that is known to be right.
fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len() / 2).filter_map(|i| u8::from_str_radix(hex.get(2 * i..2 * i + 2)?, 16).ok()).collect()
}
