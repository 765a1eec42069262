"""Published vectors, typed in from their documents, never computed here.

Each is (name, algorithm, key, nonce, aad, message, output), hex but for names;
output is ciphertext ‖ tag (tag ‖ ciphertext for aes-256-siv). make.py asserts
that the libraries give these outputs before it computes anything else.
"""

SUNSCREEN = (
    b"Ladies and Gentlemen of the class of '99: If I could offer you only one "
    b"tip for the future, sunscreen would be it."
).hex()
K8439 = bytes(range(0x80, 0xA0)).hex()
AAD8439 = "50515253c0c1c2c3c4c5c6c7"

GCM_KEY = "feffe9928665731c6d6a8f9467308308"
GCM_AAD = "feedfacedeadbeeffeedfacedeadbeefabaddad2"
GCM_MESSAGE = (
    "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
    "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"
)
K8452 = "01" + 31 * "00"
N8452 = "03" + 11 * "00"

K38A = "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4"
MESSAGE38A = (
    "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
    "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
)

# RFC 10032, appendix A; X: those of AEGIS-128X and AEGIS-256X.
AEGIS_AAD, AEGIS_MESSAGE = bytes(range(0x2A)).hex(), bytes(range(0x10, 0x38)).hex()
KX128, NX128 = bytes(range(0x10)).hex(), bytes(range(0x10, 0x20)).hex()
KX256, NX256 = bytes(range(0x20)).hex(), bytes(range(0x10, 0x30)).hex()
AADX, MESSAGEX = 2 * "01020304", 30 * "04050607"

# RFC 7518, appendix B.
K7518 = bytes(range(64)).hex()
MESSAGE7518 = (
    b"A cipher system must not be required to be secret, and it must be able to fall "
    b"into the hands of the enemy without inconvenience"
).hex()
AAD7518 = b"The second principle of Auguste Kerckhoffs".hex()

PUBLISHED = [
    ("NIST GCM test case 4", "aes-128-gcm", GCM_KEY, "cafebabefacedbaddecaf888", GCM_AAD, GCM_MESSAGE,
     "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e"
     "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091"
     "5bc94fbc3221a5db94fae95ae7121a47"),
    ("NIST GCM test case 13", "aes-256-gcm", 32 * "00", 12 * "00", "", "",
     "530f8afbc74536b9a963b4f1c4cb738b"),
    ("NIST GCM test case 14", "aes-256-gcm", 32 * "00", 12 * "00", "", 16 * "00",
     "cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919"),
    ("NIST GCM test case 16", "aes-256-gcm", 2 * GCM_KEY, "cafebabefacedbaddecaf888", GCM_AAD, GCM_MESSAGE,
     "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
     "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662"
     "76fc6ece0f4e1768cddf8853bb2d551b"),
    ("NIST GCM test case 17, 8-byte nonce", "aes-256-gcm", 2 * GCM_KEY, "cafebabefacedbad", GCM_AAD, GCM_MESSAGE,
     "c3762df1ca787d32ae47c13bf19844cbaf1ae14d0b976afac52ff7d79bba9de0"
     "feb582d33934a4f0954cc2363bc73f7862ac430e64abe499f47c9b1f"
     "3a337dbf46a792c45e454913fe2ea8f2"),
    ("NIST GCM test case 18, 60-byte nonce", "aes-256-gcm", 2 * GCM_KEY,
     "9313225df88406e555909c5aff5269aa6a7a9538534f7da1e4c303d2a318a728"
     "c3c0c95156809539fcf0e2429a6b525416aedbf5a0de6a57a637b39b", GCM_AAD, GCM_MESSAGE,
     "5a8def2f0c9e53f1f75d7853659e2a20eeb2b22aafde6419a058ab4f6f746bf4"
     "0fc0c3b780f244452da3ebf1c5d82cdea2418997200ef82e44ae7e3f"
     "a44a8266ee1c8eb0c8b5d4cf5ae9f19a"),
    ("RFC 8998 A.1", "sm4-gcm", "0123456789abcdeffedcba9876543210", "00001234567800000000abcd", GCM_AAD,
     8 * "aa" + 8 * "bb" + 8 * "cc" + 8 * "dd" + 8 * "ee" + 8 * "ff" + 8 * "ee" + 8 * "aa",
     "17f399f08c67d5ee19d0dc9969c4bb7d5fd46fd3756489069157b282bb200735"
     "d82710ca5c22f0ccfa7cbf93d496ac15a56834cbcf98c397b4024a2691233b8d"
     "83de3541e4c2b58177e065a9bf7b62ec"),
    ("RFC 8452 C.2, empty", "aes-256-gcm-siv", K8452, N8452, "", "",
     "07f5f4169bbf55a8400cd47ea6fd400f"),
    ("RFC 8452 C.2, 8 bytes", "aes-256-gcm-siv", K8452, N8452, "", "0100000000000000",
     "c2ef328e5c71c83b843122130f7364b761e0b97427e3df28"),
    ("RFC 8452 C.2, 12 bytes", "aes-256-gcm-siv", K8452, N8452, "", "010000000000000000000000",
     "9aab2aeb3faa0a34aea8e2b18ca50da9ae6559e48fd10f6e5c9ca17e"),
    ("Wycheproof aes_ccm 30", "aes-128-ccm", "63f03172505d90e94900125cb8a4b0dd", "52c20979cdaaade573dba650",
     "5189ea6f39b2a78c0202fdff146c5cc6bdc7491d4786f80c6c6aef65634c05da", "602c98997ee03fd11ce00e92de193977",
     "5590155f3e701b4a960989d0251bac65fd6a2c9273d124b5553be42e78931465"),
    ("Wycheproof aes_ccm 186", "aes-256-ccm",
     "3937986af86dafc1ba0c4672d8abc46c207062682d9c264ab06d6c5807205130", "8df4b15a888c33286a7b7651",
     "ba446f6f9a0ced22450feb10737d9007fd69abc19b1d4d9049a5551e86ec2b37", "dc9e9eaf11e314182df6a4eba17aec9c",
     "2ced0d04323db20aa8b8b9000d2c33a548b81cb70d555b7c38492ba2c0a3b1b8"),
    ("C2SP XAES-256-GCM 1", "xaes-256-gcm", 32 * "01", b"ABCDEFGHIJKLMNOPQRSTUVWX".hex(), "", b"XAES-256-GCM".hex(),
     "ce546ef63c9cc60765923609b33a9a1974e96e52daf2fcf7075e2271"),
    ("C2SP XAES-256-GCM 2", "xaes-256-gcm", 32 * "03", b"ABCDEFGHIJKLMNOPQRSTUVWX".hex(),
     b"c2sp.org/XAES-256-GCM".hex(), b"XAES-256-GCM".hex(), "986ec1832593df5443a179437fd083bf3fdb41abd740a21f71eb769d"),
    ("RFC 8439 2.8.2", "chacha20-poly1305", K8439, "070000004041424344454647", AAD8439, SUNSCREEN,
     "d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d6"
     "3dbea45e8ca9671282fafb69da92728b1a71de0a9e060b2905d6a5b67ecd3b36"
     "92ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc"
     "3ff4def08e4b7a9de576d26586cec64b6116"
     "1ae10b594f09e26a7e902ecbd0600691"),
    ("draft-irtf-cfrg-xchacha A.3.1", "xchacha20-poly1305", K8439, bytes(range(0x40, 0x58)).hex(), AAD8439, SUNSCREEN,
     "bd6d179d3e83d43b9576579493c0e939572a1700252bfaccbed2902c21396cbb"
     "731c7f1b0b4aa6440bf3a82f4eda7e39ae64c6708c54c216cb96b72e1213b452"
     "2f8c9ba40db5d945b11b69b982c1bb9e3f3fac2bc369488f76b2383565d3fff9"
     "21f9664c97637da9768812f615c68b13b52e"
     "c0875924c1c7987947deafd8780acf49"),
    ("ascon-c, SP 800-232's first known answer", "ascon-aead128", bytes(range(16)).hex(), bytes(range(16, 32)).hex(), "", "",
     "4f9c278211bec9316bf68f46ee8b2ec6"),
    ("Wycheproof ascon_sp800_232_aead128 220", "ascon-aead128", "000102030405060708090a0b0c0d0e0f",
     "101112131415161718191a1b1c1d1e1f", "b25a1bb3df3c4834284a53c8763738c9d395fb0bca8a527ab937f21f1779971c7a",
     "b25a1bb3df3c4834284a53c8763738c9d395fb0bca8a527ab937f21f1779971c7a",
     "eb8c5eb34c507189b6d9d6eb1b11de74d74f04be54fdbdeea698fb41bfdc3c35"
     "9a6f7a13968de77791c5c5d8010fbc5b3a"),
    ("Wycheproof aead_aes_siv_cmac 576", "aes-256-siv",
     "74a7668cc5ee2a7e9fcd16d4532c3003df1a76c11258f85bb4bfca1338bd3907"
     "ac8d612130b8ee883458db8391cf7fc97dd85561daaad9c956ad9792f3ecc2a2",
     "620d2bea54e5705c38dcb7c1", "7b4684f9ece1a9692ca55e5116a42a2f", "258e0603894966aa41d4976adc9bcf0f",
     "025953abed163ab5e40eb81964d74c87ddc9539eb3eda56849f69e9bc1669d15"),
    ("SP 800-38A F.5.5", "aes-256-ctr", K38A, bytes(range(0xF0, 0x100)).hex(), "", MESSAGE38A,
     "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5"
     "2b0930daa23de94ce87017ba2d84988ddfc9c58db67aada613c2dd08457941a6"),
    # F.2.5 has no padding; its four blocks are checked here, the padding block comes from the libraries.
    ("SP 800-38A F.2.5, padded", "aes-256-cbc", K38A, bytes(range(16)).hex(), "", MESSAGE38A,
     "f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d"
     "39f23369a9d9bacfa530e26304231461b2eb05e2c39be9fcda6c19078c6a9d1b"),
    ("RFC 8439 A.1, keystream blocks 1 and 2", "chacha20", 32 * "00", 12 * "00", "", 128 * "00",
     "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7"
     "da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586"
     "9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed"
     "29b721769ce64e43d57133b074d839d531ed1f28510afb45ace10a1f4b794d6f"),
    ("RFC 7518 B.1", "aes-128-cbc-hs256", K7518[:64], "1af38c2dc2b96ffdd86694092341bc04", AAD7518, MESSAGE7518,
     "c80edfa32ddf39d5ef00c0b468834279a2e46a1b8049f792f76bfe54b903a9c9"
     "a94ac9b47ad2655c5f10f9aef71427e2fc6f9b3f399a221489f16362c7032336"
     "09d45ac69864e3321cf82935ac4096c86e133314c54019e8ca7980dfa4b9cf1b"
     "384c486f3a54c51078158ee5d79de59fbd34d848b3d69550a67646344427ade5"
     "4b8851ffb598f7f80074b9473c82e2db652c3fa36b0a7c5b3219fab3a30bc1c4"),
    ("RFC 7518 B.3", "aes-256-cbc-hs512", K7518, "1af38c2dc2b96ffdd86694092341bc04", AAD7518, MESSAGE7518,
     "4affaaadb78c31c5da4b1b590d10ffbd3dd8d5d302423526912da037ecbcc7bd"
     "822c301dd67c373bccb584ad3e9279c2e6d12a1374b77f077553df829410446b"
     "36ebd97066296ae6427ea75c2e0846a11a09ccf5370dc80bfecbad28c73f09b3"
     "a3b75e662a2594410ae496b2e2e6609e31e6e02cc837f053d21f37ff4f51950b"
     "be2638d09dd7a4930930806d0703b1f64dd3b4c088a7f45c216839645b2012bf"
     "2e6269a8c56a816dbc1b267761955bc5"),
    ("RFC 10032 A.2, 5", "aegis-128l", "1001" + 14 * "00", "10000200" + 12 * "00", AEGIS_AAD, AEGIS_MESSAGE,
     "b31052ad1cca4e291abcf2df3502e6bdb1bfd6db36798be3607b1f94d34478aa"
     "7ede7f7a990fec10"
     "7542a745733014f9474417b337399507"),
    ("RFC 10032 A.3, 5", "aegis-256", "1001" + 30 * "00", "10000200" + 28 * "00", AEGIS_AAD, AEGIS_MESSAGE,
     "57754a7d09963e7c787583a2e7b859bb24fa1e04d49fd550b2511a358e3bca25"
     "2a9b1b8b30cc4a67"
     "ab8a7d53fd0e98d727accca94925e128"),
    ("RFC 10032 A.4, 2", "aegis-128x2", KX128, NX128, AADX, MESSAGEX,
     "5795544301997f93621b278809d6331b3bfa6f18e90db12c4aa35965b5e98c5f"
     "c6fb4e54bcb6111842c20637252eff747cb3a8f85b37de80919a589fe0f24872"
     "bc926360696739e05520647e390989e1eb5fd42f99678a0276a498f8c454761c"
     "9d6aacb647ad56be62b29c22cd4b5761b38f43d5a5ee062f"
     "1aebc200804f405cab637f2adebb6d77"),
    ("RFC 10032 A.5, 2", "aegis-128x4", KX128, NX128, AADX, MESSAGEX,
     "e836118562f4479c9d35c17356a833114c21f9aa39e4dda5e5c87f4152a00fce"
     "9a7c38f832eafe8b1c12f8a7cf12a81a1ad8a9c24ba9dedfbdaa586ffea67ddc"
     "801ea97d9ab4a872f42d0e352e2713dacd609f9442c17517c5a29daf3e2a3fac"
     "4ff6b1380c4e46df7b086af6ce6bc1ed594b8dd64aed2a7e"
     "0e56ab94e2e85db80f9d54010caabfb4"),
    ("RFC 10032 A.6, 2", "aegis-256x2", KX256, NX256, AADX, MESSAGEX,
     "72120c2ea8236180d67859001f4729077b7064c414384fe3a7b52f1571f4f8a7"
     "d0f01e18db4f3bc0adb150702e5d147a8d36522132761b994c1bd395589e2ccf"
     "0790dfe2a3d12d61cd666b2859827739db4037dd3124c78424459376f6cac08e"
     "1a7223a2a43e398ce6385cd654a19f481cba3b8f25910b42"
     "635d391828520bf1512763f0c8f5cdbd"),
    ("RFC 10032 A.7, 2", "aegis-256x4", KX256, NX256, AADX, MESSAGEX,
     "bfc2085b7e8017da99b0b6d646ae4d01f4ba8f2e7dfca1d759ae48a135139b9a"
     "aac6b4f5db810d426be1fdaff4e1454153a34b11da78ed7e418ee2ee9853042e"
     "95536aecbb694cea1b16a478eb0d4d1bf6509b1ce652a45af58e0e46ffccfa2d"
     "0426e702391d2ff5813808b81748a490dd656465fed61f09"
     "b63b611b13975e2f3dc3cb6c2397bfcd"),
]

# RFC 5297's own examples use AES-SIV with a 32-byte key and RFC 7253's AES-128, which PROTOCOL.md's table lacks;
# make.py still checks the libraries against them.
OTHER_KEYS = [
    ("aes-256-siv", "fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff", "",
     "101112131415161718191a1b1c1d1e1f2021222324252627", "112233445566778899aabbccddee",
     "85632d07c6e8f37f950acd320a2ecc9340c02b9690c4dc04daef7f6afe5c"),
    ("aes-256-ocb", "000102030405060708090a0b0c0d0e0f", "bbaa99887766554433221101", "0001020304050607", "0001020304050607",
     "6820b3657b6f615a5725bda0d3b4eb3a257c9af1f8f03009"),
    ("aes-256-ocb", "000102030405060708090a0b0c0d0e0f", "bbaa9988776655443322110d",
     bytes(range(40)).hex(), bytes(range(40)).hex(),
     "d5ca91748410c1751ff8a2f618255b68a0a12e093ff454606e59f9c1d0ddc54b65e8628e568bad7a"
     "ed07ba06a4a69483a7035490c5769e60"),
]
