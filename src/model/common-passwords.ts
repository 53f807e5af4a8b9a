/**
 * Passwords that attackers try first, in lower case; anything below twelve characters is refused anyway (decisions
 * D-387).
 */

/** Refused also when followed by up to ten digits or punctuation marks. */
export const commonWords: ReadonlySet<string> = new Set(
  `abc abcd abcde abcdef abcdefg abcdefgh abcdefghi abcdefghij abcdefghijk abcdefghijkl access account adgjmp admin
  adminadmin administrator alexander andrew anonymous apple asdf asdfg asdfgh asdfghjk asdfghjkl asdfghjklz august
  autumn azerty azertyuiop baseball basketball batman benjamin blink blue buster butterfly changeit changeme
  changemenow changemeplease charlie cheeseburger chelsea chocolate christian christopher civilization company
  computer construction cookie corvette counterstrike daniel database december default demo diamond dragon elephant
  elizabeth employee entertainment fall february finalfantasy flower football forever foreveryoung freedom friday
  friend gateway george ghbdtn ginger google greenlantern guest hallo hallohallo hannah harley hello hellohello
  helloworld hockey house hunter iloveyou iloveyouforever iloveyousomuch integration integrationgateway intelligence
  international internet isabella jamesbond january jennifer jessica jordan joshua justin justinbieber killer letmein
  letmeinnow liverpool login london lovely loveme manager manchester maria master matrix matthew mercedes michael
  michaeljackson michelle minecraft monday monkey mortalkombat mustang mypassword needforspeed newpassword nicholas
  nicole nightcrawler november october operator oracle orange passphrase passport passw passwd password
  passwordpassword passwort peanutbutter peoplesoft philadelphia phoenix playstation pokemon postgres postgresql
  princess private professional pussycat qazwsx qazwsxedc qazwsxedcrfv qazwsxedcrfvtgb qwe qweasd qweasdzxc qwer
  qwert qwerty qwertyu qwertyui qwertyuiop qwertyuiopasdfghjkl qwertz qwertzuiop realmadrid residentevil ronaldinho
  root samantha samsung sanfrancisco satisfaction saturday scandinavian sebastian secret secretpassword secure
  security september server service shadow silver soccer sonyericsson spring starwars stephanie stratocaster summer
  sunday sunflower sunshine superman supernatural superuser support sysadmin system systemofadown temp temporary
  temppassword test tester testing testpassword testtest thecakeisalie thisisapassword thisismypassword thomas
  ticketmaster transformers trustno tuesday unbelievable user username vanessa victoria warhammer wednesday welcome
  welcometo whatever william winter yellow zaq zxcvbn zxcvbnm zxcvbnmasdfghjkl`.split(/\s+/),
)

/** Keyboard patterns, and other passwords that the rule above does not catch. */
export const commonLong: ReadonlySet<string> = new Set(
  `!qaz2wsx#edc !qaz@wsx#edc 012345678910 0123456789abcdef 0987654321qwerty 1234567890abc 1234567890qwe 1234567890qwer
  1234567890qwerty 1234567890qwertyuiop 123456789abc 123456789abcdef 123456789asd 123456789qaz 123456789qwe
  123456789qwerty 123456789zxc 12345678qwerty 123456abcdef 123456asdfgh 123456qwerty 12345qwertasdfg 12345qwertyuiop
  1234abcd5678 1234qwerasdf 1234qwerasdfzxcv 123abc456def 123qwe123qwe 123qwe456asd 123qwe456rty 123qweasd456
  123qweasdzxc 12qw34er56ty 12qwaszx34er 1a2b3c4d5e6f 1a2s3d4f5g6h 1q2w3e4r5t6y 1q2w3e4r5t6y7u 1q2w3e4r5t6y7u8i
  1q2w3e4r5t6y7u8i9o0p 1qa2ws3ed4rf 1qa2ws3ed4rf5tg 1qaz1qaz1qaz 1qaz2wsx3edc 1qaz2wsx3edc4rfv 1qaz@wsx#edc
  1qazxsw23edc 1qazxsw23edcvfr4 2wsx3edc4rfv 4815162342lost a1b2c3d4e5f6 a1s2d3f4g5h6 aa123456789a abc123abc123
  abc123def456 abcd1234abcd abcd1234efgh adminpassword asdf1234asdf asdfghjkl123 asdfjkl;asdf asdfqwerzxcv
  asdfzxcvqwer asdqwe123zxc azerty123456 correcthorsebatterystaple defaultpassword demopassword freepassword
  guestpassword hello123world iamtheadmin ihateyou1234 ilovemyfamily iloveyou1234 is leavemealone letmein12345
  masterpassword myp@ssw0rd123 nopassword nopasswordhere operatorpassword pass1234word passpasspass password
  password1password passwordadmin poiuytrewq123 q1w2e3r4t5y6 q1w2e3r4t5y6u7 q1w2e3r4t5y6u7i8 q1w2e3r4t5y6u7i8o9p0
  qawsedrftgyh qawsedrftgyhuj qaz123wsx456 qazwsx123456 qazwsx123edc qazwsxedc123 qazxsw23edcvfr qazxswedcvfr
  qwaszxerdfcv qwe123asd456 qwe123qwe123 qweasdzxc123 qweasdzxcrfv qweqweqweqwe qwer1234asdf qwer1234qwer
  qwer1234tyui qwerasdfzxcv qwerty12345qwerty qwertyasdfgh qwertyasdfghzxcvbn qwertyqwerty qwertyuiop123 qwertyytrewq
  rootpassword supersecret supersecretpassword testpassword toomanysecrets topsecret1234 userpassword welcome2023!
  whosyourdaddy yxcvbnmasdfghjkl z1x2c3v4b5n6 z1x2c3v4b5n6m7 zaq12wsxcde3 zaq1xsw2cde3 zaq1zaq1zaq1 zaqwsxcderfv
  zxcasdqwe123 zxcvasdfqwer zxcvbnmasdfg zxcvbnmlkjhg`.split(/\s+/),
)
